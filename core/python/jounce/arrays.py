"""Numbers of any kind of Python object as C arrays, without a copy where the memory already has the right form."""
import array
import ctypes
import itertools

# ctypes type: type codes of buffers that hold the same bits; array type code for the copy. Hosts hand out vertex
# numbers as signed integers: both kinds are accepted, and the core refuses values out of range.
_FORMATS = {
    ctypes.c_double: ("d", "d"),
    ctypes.c_float: ("f", "f"),
    ctypes.c_uint32: ("IiLl", "I" if array.array("I").itemsize == 4 else "L"),
}


def c_array(values, c_type):
    """`values` as a ctypes array of `c_type` (c_double, c_float or c_uint32), flat.

    Writable C-contiguous buffers of the same element type (array, numpy, ctypes, memoryview) share their memory; all
    else is copied: read-only or strided buffers, other number types, sequences, and sequences of rows such as
    [(x, y, z), ...].
    """
    try:
        view = memoryview(values)
    except TypeError:
        return _copied(values, c_type)
    if not _same_bits(view, c_type):
        return _copied(view.tolist(), c_type)
    count = view.nbytes // ctypes.sizeof(c_type)
    if view.readonly or not view.c_contiguous:
        return (c_type * count).from_buffer_copy(view.tobytes())
    # A view of zero length cannot be cast by memoryview.
    return (c_type * count).from_buffer(view.cast("B")) if count else (c_type * 0)()


def _same_bits(view, c_type):
    codes, _ = _FORMATS[c_type]
    code = view.format.lstrip("@=<")
    return view.itemsize == ctypes.sizeof(c_type) and len(code) == 1 and code in codes


def _copied(values, c_type):
    rows = list(values)
    while rows and isinstance(rows[0], (list, tuple)):
        rows = list(itertools.chain.from_iterable(rows))
    _, code = _FORMATS[c_type]
    numbers = array.array(code, rows)
    return (c_type * len(numbers)).from_buffer(numbers) if numbers else (c_type * 0)()
