"""One bake: begin, advance frame by frame, end.

    with Bake({"bodies": [...], "frame_count": 24, "output_path": "jelly.abc"}) as bake:
        for frame in bake.frames():
            bake.advance(frame, bodies=[{"targets": ..., "transform": ...}])

The dicts have the field names of JnBakeDesc and JnFrameInput in the header; see describe.py.
"""
import array
import ctypes
import threading

from . import layout, library
from .describe import as_dict, describe, point_count
from .errors import check


class Bake:
    """A bake in progress. Used by one thread at a time; cancel() alone may be called from any other."""

    def __init__(self, description):
        """Checks everything and builds the simulation mesh; raises JounceError, or ValueError for a malformed dict."""
        self._library = library.load()
        self._handle_lock = threading.Lock()  # between cancel() and end()
        desc = describe(layout.JnBakeDesc, description)
        self.first_frame = desc.first_frame
        self.frame_count = desc.frame_count
        self._bone_counts = [desc.bodies[index].bone_count for index in range(desc.body_count)]
        self._point_counts = {
            "bodies": [point_count(desc.bodies[index]) for index in range(desc.body_count)],
            "colliders": [desc.colliders[index].surface.vertex_count for index in range(desc.collider_count)],
        }
        self._handle = ctypes.POINTER(layout.JnBake)()
        message = layout.JnMessage()
        check(self._library.jn_bake_begin(desc, self._handle, message), message)

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception, traceback):
        self.end()

    @property
    def next_frame(self):
        """The frame that advance() expects next: the first, or after a resume the one after the last kept."""
        return self._library.jn_bake_next_frame(self._open_handle())

    @property
    def note(self):
        """What an artist should know about this bake, in one sentence without a stop; "" if nothing."""
        return self._library.jn_bake_note(self._open_handle()).decode("utf-8")

    @property
    def choice(self):
        """What the integrator "auto" has chosen and why, in one sentence without a stop; "" for any other integrator."""
        return self._library.jn_bake_choice(self._open_handle()).decode("utf-8")

    @property
    def cut_body(self):
        """The name of a body whose animation jumped on the way to the last frame and that was carried over; or None."""
        name = self._library.jn_bake_cut_body(self._open_handle())
        return name.decode("utf-8") if name else None

    def frames(self):
        """The frames that are still to be baked, in order."""
        last = self.first_frame + self.frame_count - 1
        while self.next_frame <= last:
            yield self.next_frame

    def advance(self, frame, bodies=None, colliders=None, gravity=None, fields=None):
        """Simulates up to `frame` and writes it. Raises Cancelled when cancel() came first.

        bodies, colliders, fields: None, or one dict for each with the fields of JnBodyInput, JnColliderInput and JnFieldInput.
        A number or transform that is given is used; its has_ flag need not be set. gravity: three numbers in m/s2, None:
        unchanged.
        """
        values = {"frame": frame, "bodies": _with_flags(bodies), "colliders": _with_flags(colliders),
                  "fields": _with_flags(fields)}
        if gravity is not None:
            values.update(gravity=gravity, has_gravity=1)
        frame_input = describe(layout.JnFrameInput, values, self._point_counts, self._bone_counts)
        message = layout.JnMessage()
        check(self._library.jn_bake_advance(self._open_handle(), frame_input, message), message)

    def cancel(self):
        """Makes the advance() in progress raise Cancelled soon. Harmless after end()."""
        with self._handle_lock:
            if self._handle:
                self._library.jn_bake_cancel(self._handle)

    def positions(self, body_index=0):
        """The points of a body as last written: array of doubles x y z ... in scene units."""
        message, count = layout.JnMessage(), ctypes.c_uint32()
        self._library.jn_bake_positions(self._open_handle(), body_index, None, 0, count, message)
        points = array.array("d", bytes(24 * count.value))
        buffer = (ctypes.c_double * len(points)).from_buffer(points) if points else None
        check(self._library.jn_bake_positions(self._handle, body_index, buffer, len(points), count, message), message)
        return points

    def statistics(self):
        """The fields of JnStatistics as a dict."""
        statistics, message = layout.JnStatistics(), layout.JnMessage()
        statistics.struct_size = ctypes.sizeof(statistics)
        check(self._library.jn_bake_statistics(self._open_handle(), statistics, message), message)
        return as_dict(statistics)

    def motion(self):
        """Energies and momenta at the last finished frame: the fields of JnMotion as a dict."""
        motion, message = layout.JnMotion(), layout.JnMessage()
        motion.struct_size = ctypes.sizeof(motion)
        check(self._library.jn_bake_motion(self._open_handle(), motion, message), message)
        return dict(as_dict(motion), momentum=tuple(motion.momentum), angular_momentum=tuple(motion.angular_momentum))

    def contact(self):
        """Contact in the last finished frame: the fields of JnContactFrame as a dict."""
        contact, message = layout.JnContactFrame(), layout.JnMessage()
        contact.struct_size = ctypes.sizeof(contact)
        check(self._library.jn_bake_contact(self._open_handle(), contact, message), message)
        return dict(as_dict(contact), overlap_place=tuple(contact.overlap_place))

    def damping(self, body_index=0):
        """The fields of JnDamping as a dict: the damping of the body's lowest mode. Only before the first frame."""
        damping, message = layout.JnDamping(), layout.JnMessage()
        damping.struct_size = ctypes.sizeof(damping)
        check(self._library.jn_bake_damping(self._open_handle(), body_index, damping, message), message)
        return as_dict(damping)

    def sag(self, body_index=0):
        """The fields of JnSag as a dict: what gravity does to the body. Only before the first frame."""
        sag, message = layout.JnSag(), layout.JnMessage()
        sag.struct_size = ctypes.sizeof(sag)
        check(self._library.jn_bake_sag(self._open_handle(), body_index, sag, message), message)
        return as_dict(sag)

    def mesh_report(self, body_index=0):
        """What the mesher found in the surface of a body: the fields of JnMeshReport as a dict, None if the body's tets
        were not made of a surface.

        Each of its findings is a dict with the fields of JnFinding and `vertices`: the vertices of the surface that it
        concerns, in order, so that they can be selected.
        """
        report, message = layout.JnMeshReport(), layout.JnMessage()
        report.struct_size = ctypes.sizeof(report)
        check(self._library.jn_bake_mesh_report(self._open_handle(), body_index, report, message), message)
        if not report.tet_count:
            return None
        count = self._point_counts["bodies"][body_index]
        marks = (ctypes.c_uint32 * count)()
        check(self._library.jn_bake_mesh_marks(self._handle, body_index, marks, count, message), message)
        findings = [dict(as_dict(finding), place=tuple(finding.place),
                         vertices=[vertex for vertex, mark in enumerate(marks) if mark >> index & 1])
                    for index, finding in enumerate(report.findings[:report.finding_count])]
        found = {name: value for name, value in as_dict(report).items() if name != "finding_count"}
        return dict(found, findings=findings, thinnest_place=tuple(report.thinnest_place),
                    smallest_angle_place=tuple(report.smallest_angle_place))

    def end(self):
        """Finishes the cache, which keeps every finished frame, and frees everything. Calling it again does nothing."""
        with self._handle_lock:
            handle, self._handle = self._handle, None
        if handle:
            message = layout.JnMessage()
            check(self._library.jn_bake_end(handle, message), message)

    def _open_handle(self):
        if not self._handle:
            raise ValueError("The bake has ended.")
        return self._handle


def estimate(description):
    """The estimated cost of a bake of `description` in which nothing moves: the fields of JnEstimate as a dict.

    Simulates the first frames, see jn_bake_estimate in the header. Writes nothing.
    """
    result, message = layout.JnEstimate(), layout.JnMessage()
    result.struct_size = ctypes.sizeof(result)
    check(library.load().jn_bake_estimate(describe(layout.JnBakeDesc, description), result, message), message)
    return as_dict(result)


def modes(description, count=10):
    """The `count` lowest elastic modes of the bodies about their rest shape, and the rigid ones before them.

    A list of dicts with the fields of JnMode, and "shapes": for each body an array of doubles x y z ..., how its points
    move, in scene units and the object's space. See jn_bake_modes in the header.
    """
    core, message, found = library.load(), layout.JnMessage(), ctypes.POINTER(layout.JnModes)()
    desc = describe(layout.JnBakeDesc, description)
    check(core.jn_bake_modes(desc, count, found, message), message)
    try:
        return [_mode(core, found, index, desc.body_count) for index in range(core.jn_modes_count(found))]
    finally:
        core.jn_modes_free(found)


def _mode(core, found, index, body_count):
    mode, message, point_count = layout.JnMode(), layout.JnMessage(), ctypes.c_uint32()
    mode.struct_size = ctypes.sizeof(mode)
    check(core.jn_modes_get(found, index, mode, message), message)
    shapes = []
    for body in range(body_count):
        core.jn_modes_shape(found, index, body, None, 0, point_count, message)
        shape = array.array("d", bytes(24 * point_count.value))
        buffer = (ctypes.c_double * len(shape)).from_buffer(shape)
        check(core.jn_modes_shape(found, index, body, buffer, len(shape), point_count, message), message)
        shapes.append(shape)
    return dict(as_dict(mode), shapes=shapes)


_FLAGGED = ("transform", "stiffness", "goal_strength", "pin_strength", "simulation", "strength", "damping")


def _with_flags(inputs):
    """Sets the has_ flags of the numbers that each dict holds."""
    if inputs is None:
        return None
    return [dict(entry, **{"has_" + name: 1 for name in _FLAGGED if entry.get(name) is not None}) for entry in inputs]
