#!/bin/sh
# The tests. The last line is always `N passed, N failed, N skipped`; the exit code is 0 if some passed and none failed.
#   sh tests/run.sh              everything: installs what is missing, builds with gcc and, under the address and the thread
#                                sanitizer, with clang
#   sh tests/run.sh --quick      while editing: the gcc build alone, without hosts (Blender, CalculiX) and slow tests
#   sh tests/run.sh -R resume    the quick run of what matches a name; -L physics: of one kind (-L host and -L slow too)
# Other options go to ctest.
cd "$(dirname "$0")/.."
trap '[ -n "$counted" ] || echo "0 passed, 1 failed, 0 skipped"' EXIT
counted=""
. .ci/prepare.sh

# what Blender as a Python module needs on a machine without a screen
blender_packages="python3-venv libx11-6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libxext6 libgl1"
venv=build-venv
venv_packages="bpy==4.5.* jsonschema ipctk"

# the real Blender and the judges of schema and contact, in a folder of their own; kept from run to run
install_blender() {
    [ "$(cat "$venv/complete" 2>/dev/null)" != "$venv_packages" ] || return 0
    echo "Installing into $venv: $venv_packages"
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check $venv_packages
    echo "$venv_packages" >"$venv/complete"
}

# run_tests FOLDER CTEST_OPTION...: leaves the record FOLDER/tests.xml
run_tests() {
    folder=$1
    shift
    rm -f "$folder/tests.xml"
    ctest --test-dir "$folder" -j2 --output-on-failure --output-junit tests.xml "$@" || true
}

# count_tests [--quick] RECORD...: the closing line, and its exit code
count_tests() {
    counted=yes
    python3 tests/summary.py "$@"
}

run_everything() {
    # calculix-ccx: another finite element program, as a judge
    install_packages $build_packages $blender_packages calculix-ccx clang clang-format libclang-rt-14-dev llvm
    install_blender
    echo "Building with gcc"
    build build -DJN_WERROR=ON "-DJN_BPY_PYTHON=$PWD/$venv/bin/python"
    echo "Building with clang and the address and undefined-behaviour sanitizers"
    build build-sanitize -DJN_WERROR=ON -DJN_SANITIZE=address -DCMAKE_C_COMPILER=clang
    echo "Building with clang and the thread sanitizer"
    build_target thread_tests build-thread -DJN_WERROR=ON -DJN_SANITIZE=thread -DCMAKE_C_COMPILER=clang

    run_tests build -LE leaks "$@"
    echo "Under the address and undefined-behaviour sanitizers"
    run_tests build-sanitize -L 'unit|physics|fuzz' "$@"
    echo "Under the thread sanitizer"
    run_tests build-thread -L threads "$@"
    count_tests build/tests.xml build-sanitize/tests.xml build-thread/tests.xml
}

build_once() {
    install_packages $build_packages
    echo "Building with gcc"
    build build -DJN_WERROR=ON
}

run_quick() {
    build_once
    if [ -n "$left_out" ]; then
        set -- -LE "$left_out" "$@"
    fi
    run_tests build "$@"
    count_tests --quick build/tests.xml
}

scope=everything
left_out='host|slow'
if [ "${1:-}" = --quick ]; then
    scope=quick
    shift
fi
for option in "$@"; do
    case $option in
    -R* | -L* | --tests-regex* | --label-regex*) scope=quick ;;
    esac
    case $option in
    host | slow | -Lhost | -Lslow | --label-regex=host | --label-regex=slow) left_out='' ;;
    esac
done
run_$scope "$@"
