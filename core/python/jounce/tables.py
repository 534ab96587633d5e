"""The core's tables as Python values: the source of menus, tooltips, limits and defaults."""
import collections
import ctypes

from . import layout, library
from .errors import check

Entry = collections.namedtuple("Entry", "name label summary")
Preset = collections.namedtuple("Preset", [name for name, _ in layout.JnPreset._fields_])
Setting = collections.namedtuple("Setting", [name for name, _ in layout.JnSetting._fields_])


def materials():
    return _entries(layout.JN_TABLE_MATERIALS)


def integrators():
    return _entries(layout.JN_TABLE_INTEGRATORS)


def contact_methods():
    return _entries(layout.JN_TABLE_CONTACT_METHODS)


def colliders():
    return _entries(layout.JN_TABLE_COLLIDERS)


def meshers():
    return _entries(layout.JN_TABLE_MESHERS)


def region_effects():
    return _entries(layout.JN_TABLE_REGION_EFFECTS)


def shapes():
    return _entries(layout.JN_TABLE_SHAPES)


def body_kinds():
    return _entries(layout.JN_TABLE_BODY_KINDS)


def fields():
    """Kinds of fields of force."""
    return _entries(layout.JN_TABLE_FIELDS)


def presets():
    """Ready-made materials, in the order of the menu."""
    api = library.load()
    return [_tuple(Preset, api.jn_preset(index)) for index in range(api.jn_preset_count())]


def settings():
    """Every setting of a scene description: label, tooltip, unit, limits, default."""
    api = library.load()
    return [_tuple(Setting, api.jn_setting(index)) for index in range(api.jn_setting_count())]


def setting(scope, key):
    """The setting `key` of the object `scope`; KeyError if the core has none."""
    found = library.load().jn_setting_find(scope.encode("utf-8"), key.encode("utf-8"))
    if not found:
        raise KeyError("The core has no setting {}.{}".format(scope, key))
    return _tuple(Setting, found)


def method_damping(integrator, h_omega, spectral_radius=float("nan")):
    """The numerical damping of the integrator: d / omega of q'' + d q' + omega^2 q = 0 at time step times omega.

    The amplitude of a vibration of `frequency` Hz decays as exp(-0.5 * d * t), with omega = 2 pi frequency.
    spectral_radius: of generalized alpha, NaN: its default. Raises JounceError where the integrator cannot take such
    steps.
    """
    damping, message = ctypes.c_double(), layout.JnMessage()
    status = library.load().jn_method_damping(integrator.encode("utf-8"), h_omega, spectral_radius, damping, message)
    check(status, message)
    return damping.value


def version():
    """The core's version, such as "0.1.0"."""
    return library.load().jn_version().decode("utf-8")


def _entries(table):
    api = library.load()
    return [_tuple(Entry, api.jn_table_entry(table, index)) for index in range(api.jn_table_size(table))]


def _tuple(kind, pointer):
    """A copy of the struct behind `pointer`, its text decoded."""
    values = (getattr(pointer.contents, field) for field in kind._fields)
    return kind(*(value.decode("utf-8") if isinstance(value, bytes) else value for value in values))
