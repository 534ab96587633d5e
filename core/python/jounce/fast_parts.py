"""Which parts of bodies to paint with the effect fast."""
import array
import ctypes

from . import layout, library
from .describe import as_dict, describe
from .errors import check


def suggest_fast(description):
    """Which parts of the bodies should take small time steps: the fields of JnFastAdvice as a dict, and "parts".

    Each part is a dict with the fields of JnFastPart, and "weights", an array of floats on the points of its body. See
    jn_bake_suggest_fast in the header. Writes nothing.
    """
    core, message, found = library.load(), layout.JnMessage(), ctypes.POINTER(layout.JnFastSuggestions)()
    check(core.jn_bake_suggest_fast(describe(layout.JnBakeDesc, description), found, message), message)
    try:
        advice = layout.JnFastAdvice()
        advice.struct_size = ctypes.sizeof(advice)
        check(core.jn_fast_suggestions_advice(found, advice, message), message)
        parts = [_part(core, found, index) for index in range(advice.part_count)]
        return dict(as_dict(advice), parts=parts)
    finally:
        core.jn_fast_suggestions_free(found)


def _part(core, found, index):
    part, message = layout.JnFastPart(), layout.JnMessage()
    part.struct_size = ctypes.sizeof(part)
    check(core.jn_fast_suggestions_part(found, index, part, message), message)
    weights = array.array("f", bytes(4 * part.point_count))
    buffer = (ctypes.c_float * len(weights)).from_buffer(weights)
    check(core.jn_fast_suggestions_weights(found, index, buffer, len(weights), message), message)
    return dict(as_dict(part), weights=weights)
