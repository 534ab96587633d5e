"""Jounce from Python: bakes jiggle and secondary motion of deformable bodies to Alembic.

A thin bridge over the C core's public header, core/include/jounce.h: standard library only, Python 3.7 or later.
"""
from . import layout, tables
from .bake import Bake, estimate, modes
from .errors import Cancelled, JounceError
from .fast_parts import suggest_fast
from .library import LibraryError, load
from .simulation_mesh import tet_boundary

__all__ = ["Bake", "Cancelled", "JounceError", "LibraryError", "estimate", "layout", "load", "modes",
           "suggest_fast", "tables", "tet_boundary"]
