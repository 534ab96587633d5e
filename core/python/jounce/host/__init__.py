"""Shared by the add-ons for all hosts: everything in a bake that depends on neither Blender nor Maya.

Standard library only, Python 3.7 or later. An add-on reads its scene into plain values, and these modules do the rest:

    artist_settings   what the artist sets, by the core's tables
    scene_checks      what keeps a scene from being baked, in words
    bake_description  scene and settings as the description that jounce.Bake takes
    bake_drive        one bake as the host's main thread drives it, on
    bake_job          the bake in a thread of its own, and
    transition        what that thread is doing, as a value
    cache_paths       where caches lie
    hints             the lines that name the artist's next step
"""
