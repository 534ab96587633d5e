"""Loads libjounce, once, from this package's own lib folder.

Nothing is searched for: all that the library needs lies beside it, so that neither environment variables nor
libraries installed on the machine matter. RTLD_LOCAL keeps its symbols separate from the host's.
"""
import ctypes
import os
import sys

from . import layout

FILE_NAMES = {"win32": "jounce.dll", "darwin": "libjounce.dylib"}


class LibraryError(Exception):
    """The library is missing, cannot be loaded, or is of another version. The text says which and what to do."""


_loaded = None


def default_path():
    """Where the library lies: in the folder lib of this package."""
    folder = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(folder, "lib", FILE_NAMES.get(sys.platform, "libjounce.so"))


def load(path=None):
    """The library with every function's types declared. The first call decides the path; later ones return the same.

    path: of the library, None: default_path().
    """
    global _loaded
    if _loaded is None:
        _loaded = _open(os.path.abspath(path or default_path()))
    return _loaded


def _open(path):
    if not os.path.isfile(path):
        raise LibraryError("The Jounce core is missing: there is no file {}. Install the add-on's zip again, or build "
                           "the project and use the Python folder of the build.".format(path))
    try:
        library = ctypes.CDLL(path, mode=getattr(ctypes, "RTLD_LOCAL", ctypes.DEFAULT_MODE))
    except OSError as error:
        raise LibraryError("The Jounce core cannot be loaded: {}. It needs the type of machine and system that it was "
                           "built for.".format(error)) from error
    _check_version(library, path)
    _declare(library, path)
    return library


def _declare(library, path):
    """Gives every function its types."""
    for name, (result, arguments) in layout.SIGNATURES.items():
        try:
            function = getattr(library, name)
        except AttributeError as error:
            raise LibraryError("The Jounce core at {} has no function {}.".format(path, name)) from error
        function.restype = result
        function.argtypes = arguments


def _check_version(library, path):
    """Before any other function is looked up: another version may lack some."""
    try:
        version = library.jn_api_version()
    except AttributeError as error:
        raise LibraryError("{} is not the Jounce core: it does not report its API version.".format(path)) from error
    if version != layout.JN_API_VERSION:
        raise LibraryError("The Jounce core at {} has API version {}, these Python files need {}. Install both from "
                           "the same release.".format(path, version, layout.JN_API_VERSION))
