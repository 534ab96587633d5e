"""What can be said of an object's cache: a pure function of what disk and scene show, never of what is remembered."""
import collections

from . import takes

# attached: path of the take that plays on the object, None. attached_exists: whether it has a file. attached_record,
# loose_record: of takes.Record, None if there is none. loose: path of a take that could be attached, None. fingerprint:
# {part: text} of the inputs as they are now. baking: State of transition while a bake of this object runs, else None.
Facts = collections.namedtuple("Facts", "attached attached_exists attached_record loose loose_record fingerprint baking")

EMPTY = "empty"
BAKING = "baking"
BAKED = "baked"      # every frame that was asked for
PARTIAL = "partial"  # the first frames
MISSING = "missing"  # the object refers to a file that is not there
FOREIGN = "foreign"  # a file without a record: nothing is known about it

# kind: one of the above. first, last: frames that play, None. changed: parts of the inputs that differ from those of the
# bake, in words. sentence: all of it for the artist. loose: path of a take that could be attached, None.
State = collections.namedtuple("State", "kind first last changed sentence loose")


def judge(facts):
    """The State that these Facts amount to."""
    kind, record = _kind(facts), facts.attached_record
    finished = takes.finished_range(record) if record and kind in (BAKED, PARTIAL) else None
    first, last = finished or (None, None)
    changed = changed_parts(record.fingerprint, facts.fingerprint) if finished else ()
    return State(kind, first, last, changed, _sentence(kind, facts, first, last, changed), facts.loose)


def _kind(facts):
    if facts.baking is not None:
        return BAKING
    if facts.attached is None:
        return EMPTY
    if not facts.attached_exists:
        return MISSING
    if facts.attached_record is None:
        return FOREIGN
    if facts.attached_record.frames_done == 0:
        return MISSING
    return BAKED if takes.is_complete(facts.attached_record) else PARTIAL


def changed_parts(then, now):
    """The parts of the inputs that differ between two fingerprints, in the order of `now`."""
    return tuple(part for part, text in now.items() if then.get(part) != text)


def _sentence(kind, facts, first, last, changed):
    if kind == BAKING:
        return "Baking frame {} of {}.".format(facts.baking.frames_done, facts.baking.frame_count)
    if kind == MISSING:
        text = "The cache file is missing."
    elif kind == FOREIGN:
        text = "A cache from elsewhere is attached."
    elif kind == EMPTY:
        text = "Not baked."
    else:
        text = "Baked frames {} to {}.".format(first, last)
        if kind == PARTIAL:
            text = "Baked frames {} to {} of {}.".format(first, last, facts.attached_record.first_frame
                                                         + facts.attached_record.frame_count - 1)
        if changed:
            text += " Out of date: {} changed since.".format(_list(changed))
    if facts.loose_record is not None:
        text += " Frames {} to {} of another bake are on the disk.".format(*takes.finished_range(facts.loose_record))
    return text


def _list(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


# Buttons, and why they cannot be pressed.
def why_not_resume(state):
    if state.kind == BAKING:
        return "A bake is running"
    if state.kind != PARTIAL and state.loose is None:
        return "There is no stopped bake to go on with"
    return ""


def why_not_free(state):
    if state.kind == BAKING:
        return "A bake is running: Esc stops it"
    return "Nothing is baked" if state.kind == EMPTY else ""


def why_not_attach(state):
    if state.kind == BAKING:
        return "A bake is running"
    return "No other bake of this object is on the disk" if state.loose is None else ""
