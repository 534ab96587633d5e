"""Shared by the add-ons for all hosts: everything in a bake that depends on neither Blender nor Maya.

Standard library only, Python 3.7 or later. An add-on reads its scene into plain values, and these modules do the rest:

    artist_settings   what the artist sets, by the core's tables
    scene_checks      what keeps a scene from being baked, in words
    bake_description  scene and settings as the description that jounce.Bake takes
    together          several bodies in one bake
    stiffness         stiffness by sag
    region_colours    what painted regions look like
    suggestion        weights from bones and shapes
    live_frames       a simulation that follows a timeline as it plays
    bake_drive        one bake as the host's main thread drives it, in slices of
    pacing            on
    bake_job          the bake in a thread of its own, and
    transition        what that thread is doing, as a value
    takes             where caches lie; none is written over
    take_writer       the record beside a cache
    point_cache       caches for hosts that cannot read Alembic
    job               a bake as a folder for the command line
    cache_state       what can be said of a cache
    foresight         what a bake will look like and cost, before it
    hints             the lines that name the artist's next step, and
    wrapping          how they fit a narrow panel
"""
