"""Words in the panels: sentences that fit their width, and the last bake in a few lines."""
import blf

from .jounce.host.foresight import duration
from .jounce.host.wrapping import wrapped

SHOWN_WARNINGS = 12
# Points of Blender's interface font, and what icon, margins and scroll bar take of a panel's width.
_FONT_POINTS = 11
_MARGIN = 78
_BARS = " ▁▂▃▄▅▆▇█"
_BAR_COUNT = 24


def room(context, margin):
    """Pixels of a panel's width without `margin` points; at least 1, also without a window."""
    scale = context.preferences.system.ui_scale
    return max(max(context.region.width if context.region else 0, 160 * scale) - margin * scale, 1.0)


def width(context, text):
    """Pixels that the text takes."""
    blf.size(0, _FONT_POINTS * context.preferences.system.ui_scale)
    return blf.dimensions(0, text)[0]


def sentence(context, layout, text, icon):
    """The text in as many lines as the width of the panel needs, the icon at the first."""
    column = layout.column(align=True)
    for number, line in enumerate(wrapped(text, room(context, _MARGIN), lambda part: width(context, part))):
        column.label(text=line, icon=icon if number == 0 else "BLANK1")


def energy_lines(report):
    """Energies and seconds over the frames as small plots of text; report: of take_writer."""
    frames = report.get("frames", [])
    if not frames:
        return []
    names = ("Seconds a frame", "Motion energy", "Elastic energy")
    columns = [[frame[index] for frame in frames] for index in (1, 2, 3)]
    lines = ["{} {}".format(_plot(column), name) for name, column in zip(names, columns)]
    return lines + ["{} frames in {}".format(len(frames), duration(sum(columns[0])))]


def _plot(values):
    """The largest value of each of a few spans, as bars."""
    count = min(_BAR_COUNT, len(values))
    spans = [max(values[len(values) * i // count:len(values) * (i + 1) // count]) for i in range(count)]
    top = max(spans)
    return "".join(_BARS[round(8 * max(value, 0) / top)] if top > 0 else _BARS[0] for value in spans)
