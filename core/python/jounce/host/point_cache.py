"""PC2 files: the points of a mesh frame by frame, for hosts that cannot read Alembic."""
import array
import os
import struct

# Signature, version, points, first frame, frames per sample, samples; little-endian.
_HEADER = struct.Struct("<12siiffi")
_SIGNATURE = b"POINTCACHE2\0"


class PointCacheWriter:
    """A PC2 file that is complete after every frame."""

    def __init__(self, path, point_count, first_frame, frames_kept):
        """frames_kept: of a file that is continued, as many of its frames stay; 0: a new file. Raises OSError."""
        self._path, self._point_count, self._first_frame = path, point_count, first_frame
        self._count = frames_kept if os.path.isfile(path) else 0
        with open(path, "r+b" if self._count else "wb") as file:
            file.truncate(_HEADER.size + 12 * point_count * self._count)
            self._write_header(file)

    def add(self, positions):
        """positions: doubles x y z ..."""
        single = array.array("f", positions)
        if array.array("H", [1]).tobytes() != b"\1\0":
            single.byteswap()
        with open(self._path, "r+b") as file:
            file.seek(0, os.SEEK_END)
            file.write(single.tobytes())
            self._count += 1
            file.seek(0)
            self._write_header(file)

    def _write_header(self, file):
        file.write(_HEADER.pack(_SIGNATURE, 1, self._point_count, self._first_frame, 1.0, self._count))
