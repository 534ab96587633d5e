"""What keeps a scene from being baked, in words for the artist."""


class SceneError(Exception):
    """Something in the scene keeps it from being baked. The text is for the artist."""


def frame_count(first_frame, last_frame):
    """How many frames the scene has."""
    if last_frame < first_frame:
        raise SceneError("The scene's frame range is empty: its end lies before its start.")
    return last_frame - first_frame + 1


def check_has_vertices(name, positions, frame):
    if not positions:
        raise SceneError("{} has no vertices at frame {}.".format(name, frame))


def check_vertex_count(name, count, first_count, frame, culprit):
    """culprit: what changes the number of vertices in this host, such as "a modifier"."""
    if count != first_count:
        raise SceneError("{} has {} vertices at frame {} and {} at the first. Look for {} that changes their number: a "
                         "bake needs the same ones throughout.".format(name, count, frame, first_count, culprit))


def frame_list(text):
    """The frames of a text such as "24, 90"."""
    try:
        return frozenset(int(word) for word in text.replace(",", " ").split())
    except ValueError:
        raise SceneError("Cuts are frame numbers with commas between them, such as 24, 90; not \"{}\".".format(text)) from None
