"""Exceptions for failed calls of the core."""
from . import layout, library


class JounceError(Exception):
    """A call failed. str() is the core's message: the thing, the place and the remedy."""

    def __init__(self, status, status_name, message):
        super().__init__(message or status_name)
        self.status = status            # layout.JN_ERR_...
        self.status_name = status_name  # "JN_ERR_MESH"
        self.message = message          # one sentence


class Cancelled(JounceError):
    """The bake was cancelled before the frame was done; the frames before it are kept."""


def check(status, message):
    """Raises unless `status` is success. message: the JnMessage that the call filled."""
    if status >= 0:
        return
    name = library.load().jn_status_name(status).decode("utf-8")
    kind = Cancelled if status == layout.JN_ERR_CANCELLED else JounceError
    raise kind(status, name, message.text.decode("utf-8", "replace"))
