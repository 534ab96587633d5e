"""Sentences in a panel that is too narrow for them."""


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
