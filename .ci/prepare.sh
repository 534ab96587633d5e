# Installs what is missing, by package name, and builds. Sourced by sample_scenes/run.sh and tests/run.sh, from the
# project's root. As root or as a user with sudo; installs and downloads nothing that is already there.
set -eu

build_packages="gcc libc6-dev cmake ninja-build pkg-config python3 libsuitesparse-dev libopenblas-dev libarpack2-dev
libcjson-dev libcairo2-dev"

# install_packages NAME...: those that are not installed
install_packages() {
    missing=""
    for package in "$@"; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "Installing:$missing"
    as_root=""
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get update -qq
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# build_target TARGET FOLDER CMAKE_OPTION...: configures FOLDER and builds TARGET in it
build_target() {
    target=$1 folder=$2
    shift 2
    mkdir -p "$folder"
    log=$folder/build.log
    { cmake -S . -B "$folder" -G Ninja "$@" && cmake --build "$folder" --target "$target"; } >"$log" 2>&1 || {
        tail -n 40 "$log"
        echo "The build in $folder failed; all of its output is in $log"
        exit 1
    }
}

# build FOLDER CMAKE_OPTION...: configures and builds everything into FOLDER
build() {
    build_target all "$@"
}
