"""Sentences and fields in a panel that is too narrow for them."""


def wrapped(text, width, measure):
    """The text in lines that are not wider than `width`, broken between words. measure(line): its width."""
    lines = []
    for word in text.split():
        joined = lines[-1] + " " + word if lines else word
        if lines and measure(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


# Of a field's width for its label, in Blender and Maya.
USUAL_SHARE = 0.4


def label_share(label, value, room):
    """The share of a field's width for its label: the usual one, or what leaves neither label nor value cut.

    label, value: their widths; room: of the field. Where both do not fit, the value is whole.
    """
    most = max(1 - value / room, 0.0)
    return min(max(USUAL_SHARE, label / room), most)
