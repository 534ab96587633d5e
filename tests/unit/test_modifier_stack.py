"""Where the Blender add-on puts its cache among an object's modifiers. Needs no Blender."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_SOURCE"), "plugin_blender"))
import modifier_stack  # noqa: E402


def test_modifier_stack_cache_goes_after_deformers_and_before_finishing():
    def index(*types):
        return modifier_stack.cache_index([(kind, False) for kind in types])
    assert index() == 0
    assert index("ARMATURE", "SUBSURF") == 1
    assert index("SUBSURF", "ARMATURE") == 2, "an armature after the subdivision still drives"
    assert index("MIRROR", "ARMATURE", "BEVEL", "SUBSURF") == 2
    assert modifier_stack.cache_index([("ARMATURE", False), ("NODES", True)]) == 1, "pinned to the end"


run(globals())
