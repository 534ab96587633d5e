#!/bin/sh
# The main job: installs what is missing, builds, bakes a sample scene to Alembic and draws a picture strip of it.
#   sh sample_scenes/run.sh [scene]      scene: a folder here, pudding by default
cd "$(dirname "$0")/.."
. .ci/prepare.sh

scene=${1:-pudding}
[ -f "sample_scenes/$scene/scene.json" ] || {
    echo "There is no sample_scenes/$scene/scene.json. There are:" $(cd sample_scenes && ls */scene.json | cut -d/ -f1)
    exit 2
}
install_packages $build_packages
build build
mkdir -p build/samples
build/jounce bake "sample_scenes/$scene/scene.json" -o "build/samples/$scene.abc"
build/jounce show "build/samples/$scene.abc" -o "build/samples/$scene.png" --count 12
