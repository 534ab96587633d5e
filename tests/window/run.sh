#!/bin/sh
# The add-on in a real window, by mouse and keys: sh tests/window/run.sh [official|trixie|sid] [script]
# official: Blender 4.5 of blender.org, the default; trixie, sid: Debian's 4.3 and 5.x, which have no Alembic. Needs the build.
# Pictures of what was seen stay in build/window. JN_BLENDER_WINDOW: the program that gives a Blender with a screen in memory,
# called as `program -s suite -d folder 'command'`. Skipped (77) where it is not.
cd "$(dirname "$0")/../.." || exit
tool=${JN_BLENDER_WINDOW:-../shared/tools/blender-window}
if [ ! -x "$tool" ]; then
    echo "skipped: $tool is not there, which gives a Blender with a window"
    exit 77
fi
suite=${1:-official}
assets=${JN_TEST_ASSETS:-$(cd .. && pwd)/shared/assets}
set -- "${2:-test_window}" -d "$PWD"
[ ! -d "$assets" ] || set -- "$@" -d "$assets"
script=$1
shift
"$tool" -s "$suite" "$@" "JN_TEST_BUILD='$PWD/build' JN_TEST_ASSETS='$assets' python3 '$PWD/tests/window/$script.py' $suite"
