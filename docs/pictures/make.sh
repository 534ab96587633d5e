#!/bin/sh
# Makes the movies of the docs and README again, from the sample scenes: sh docs/pictures/make.sh [movie]
# Needs the build that sample_scenes/run.sh leaves. Caches go to build/samples.
cd "$(dirname "$0")/../.." || exit

# movie, sample scene, options of `jounce show`
make_movie() {
    [ -n "$wanted" ] && [ "$wanted" != "$1" ] && return
    movie=$1 scene=$2
    shift 2
    mkdir -p build/samples
    build/jounce bake --quiet "sample_scenes/$scene/scene.json" -o "build/samples/$scene.abc" &&
        build/jounce show "build/samples/$scene.abc" --scene "sample_scenes/$scene/scene.json" --movie \
            -o "docs/pictures/$movie.png" "$@" || exit
}

wanted=$1
make_movie pudding_moves pudding --size 300,286
make_movie beam_follows shaken_beam --ghost --size 280,340
make_movie flag_waves flag --frames 25,72 --size 320,250 --view 0.2,0.15,1
make_movie jelly_bounces jelly_drop --colliders --map core --size 400,250
