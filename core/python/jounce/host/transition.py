"""The state of a bake as a value, and its transition function. No threads."""
import collections

STARTING = "starting"      # the core checks the scene and builds the simulation mesh
RUNNING = "running"
CANCELLING = "cancelling"  # the core has been asked to stop and finishes the cache
DONE = "done"
CANCELLED = "cancelled"
FAILED = "failed"
FINAL_PHASES = (DONE, CANCELLED, FAILED)

# Events. FAIL carries a message, STOPPED and FINISHED the core's note on the bake, if it has one; BEGUN the number of
# frames that a resumed bake has already.
BEGUN = "begun"
FRAME_DONE = "frame done"
CANCEL = "cancel"
STOPPED = "stopped"    # after a cancel, with the cache finished
FINISHED = "finished"  # after the last frame, with the cache finished
FAIL = "fail"

_NEXT_PHASE = {
    (STARTING, BEGUN): RUNNING,
    (STARTING, CANCEL): CANCELLING,
    (STARTING, FAIL): FAILED,
    (RUNNING, FRAME_DONE): RUNNING,
    (RUNNING, CANCEL): CANCELLING,
    (RUNNING, FINISHED): DONE,
    (RUNNING, FAIL): FAILED,
    # events in progress at the cancel may still arrive, even the end of the bake
    (CANCELLING, BEGUN): CANCELLING,
    (CANCELLING, FRAME_DONE): CANCELLING,
    (CANCELLING, CANCEL): CANCELLING,
    (CANCELLING, STOPPED): CANCELLED,
    (CANCELLING, FINISHED): DONE,
    (CANCELLING, FAIL): FAILED,
    # a late Esc is harmless
    (DONE, CANCEL): DONE,
    (CANCELLED, CANCEL): CANCELLED,
    (FAILED, CANCEL): FAILED,
}

State = collections.namedtuple("State", "phase frames_done frame_count message")


class ImpossibleEvent(Exception):
    """A fault in the program: this event cannot happen in this phase."""


def initial(frame_count):
    return State(STARTING, 0, frame_count, "")


def transition(state, event, message="", frames_kept=0):
    """The state after `event`."""
    phase = _NEXT_PHASE.get((state.phase, event))
    if phase is None:
        raise ImpossibleEvent("{} while {}".format(event, state.phase))
    frames_done = frames_kept if event == BEGUN else state.frames_done + (event == FRAME_DONE)
    return State(phase, frames_done, state.frame_count, message or state.message)


def is_final(state):
    return state.phase in FINAL_PHASES


def report(state, name, first_frame):
    """How the bake of the object `name` ended: level ("INFO", "WARNING" or "ERROR") and a sentence for the artist."""
    last = first_frame + state.frames_done - 1
    kept = "Frames {} to {} are kept.".format(first_frame, last) if state.frames_done else "No frame was finished."
    note = " Note: {}.".format(state.message.rstrip(".")) if state.message else ""
    if state.phase == DONE:
        return "WARNING" if note else "INFO", "Baked {}, frames {} to {}.{}".format(name, first_frame, last, note)
    if state.phase == CANCELLED:
        return "WARNING", "The bake of {} was stopped. {}{}".format(name, kept, note)
    reason = "The bake of {} failed: {}.".format(name, state.message.rstrip("."))
    return "ERROR", "{} {}".format(reason, kept) if state.frames_done else reason
