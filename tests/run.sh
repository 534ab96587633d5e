#!/bin/sh
# All tests: installs what is missing, builds twice (gcc; clang with sanitizers), runs everything, and closes with the line
# `N passed, N failed, N skipped`.
#   sh tests/run.sh [ctest options]      for example: sh tests/run.sh -L physics
cd "$(dirname "$0")/.."
. .ci/prepare.sh

# what Blender as a Python module needs on a machine without a screen
blender_packages="python3-venv libx11-6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libxext6 libgl1"
# calculix-ccx: another finite element program, as a judge
install_packages $build_packages $blender_packages calculix-ccx clang libclang-rt-14-dev llvm

# the real Blender and the schema judge, in a folder of their own; kept from run to run
venv=build-venv
if ! [ -f "$venv/complete" ]; then
    echo "Installing into $venv: bpy jsonschema"
    rm -rf "$venv"
    /usr/bin/python3 -m venv "$venv"
    "$venv/bin/pip" install -q --disable-pip-version-check "bpy==4.5.*" jsonschema
    touch "$venv/complete"
fi

echo "Building with gcc"
build build -DJN_WERROR=ON "-DJN_BPY_PYTHON=$PWD/$venv/bin/python"
echo "Building with clang and the sanitizers"
build build-sanitize -DJN_WERROR=ON -DJN_SANITIZE=ON -DCMAKE_C_COMPILER=clang

rm -f build/tests.xml build-sanitize/tests.xml
ctest --test-dir build -j2 --output-on-failure --output-junit tests.xml -LE bench "$@" || true
echo "Under the address and undefined-behaviour sanitizers"
ctest --test-dir build-sanitize -j2 --output-on-failure --output-junit tests.xml -L 'unit|physics|fuzz' "$@" || true
python3 tests/summary.py build/tests.xml build-sanitize/tests.xml
