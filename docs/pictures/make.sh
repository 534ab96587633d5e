#!/bin/sh
# Draws the sample scenes for README and docs again: sh docs/pictures/make.sh [picture]
# Needs the build that sample_scenes/run.sh leaves. Caches go to build/samples.
cd "$(dirname "$0")/../.." || exit

# picture, sample scene, options of `jounce show`
make_picture() {
    [ -n "$wanted" ] && [ "$wanted" != "$1" ] && return
    picture=$1 scene=$2
    shift 2
    mkdir -p build/samples
    build/jounce bake --quiet "sample_scenes/$scene/scene.json" -o "build/samples/$scene.abc" &&
        build/jounce show "build/samples/$scene.abc" --scene "sample_scenes/$scene/scene.json" \
            -o "docs/pictures/$picture.png" "$@" || exit
}

wanted=$1
make_picture pudding_moves pudding --movie --frames 1,60 --size 300,286
make_picture beam_follows shaken_beam --movie --ghost --size 280,340
make_picture flag_waves flag --movie --frames 25,72 --size 320,250 --view 0.2,0.15,1
make_picture jelly_bounces jelly_drop --movie --colliders --size 400,250
make_picture pudding pudding --frames 1,6,8,12,42,47 --size 256,246
make_picture pudding_inside pudding --simulation --colliders --map cherry --frames 1,8,41 --size 330,290
make_picture jaw_rattles rattling_jaw --frames 1,7,9,11,13,15 --size 256,220 --view 0.3,0.25,1
make_picture teddy teddy --colliders --frames 1,11,15,18,24,96 --columns 3 --size 300,260 --view 0.35,0.35,1
