"""Takes on the disk and what is said of them, without a host."""
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, message_of, run  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce.host import cache_state, point_cache, scene_checks, takes, transition  # noqa: E402

RECORD = takes.Record("Ear", 1, 24, 24, {"mesh": "a", "settings": "b"}, False, {})


def make(folder, record=RECORD, text="frames"):
    path = takes.reserve(folder, record.object, record)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def test_takes_never_share_a_file():
    with tempfile.TemporaryDirectory() as folder:
        first, second = make(folder), takes.reserve(folder, "Ear", RECORD)
        assert [os.path.basename(path) for path in (first, second)] == ["Ear.001.abc", "Ear.002.abc"]
        assert os.path.basename(takes.reserve(folder, "ear", RECORD)).lower() == "ear.003.abc"
        assert os.path.basename(takes.reserve(folder, "a/b\\c:d", RECORD)) == "a_b_c_d.001.abc"
        assert os.path.basename(takes.reserve(folder, " .. ", RECORD)) == "object.001.abc"
        assert "cannot be written" in message_of(scene_checks.SceneError, takes.reserve, first, "Ear", RECORD)


def test_takes_of_every_scene_file_have_a_folder_of_their_own():
    assert takes.folder_of("/a/shot_v1.blend") == "/a/jounce_cache/shot_v1"


def test_records_come_back_and_hostile_ones_do_not():
    with tempfile.TemporaryDirectory() as folder:
        path = make(folder)
        assert takes.read_record(path) == RECORD and takes.finished_range(RECORD) == (1, 24)
        takes.write_record(path, RECORD._replace(frames_done=3))
        assert takes.finished_range(takes.read_record(path)) == (1, 3) and not takes.is_complete(takes.read_record(path))
        for text in ("", "{", "[]", "{}", '{"object": 3}', "\0"):
            with open(path + takes.RECORD, "w", encoding="utf-8") as file:
                file.write(text)
            assert takes.read_record(path) is None, text
        assert takes.all_takes(folder) == {} and takes.all_takes(folder + "/gone") == {}


def test_takes_are_removed_only_if_freed_and_unused():
    with tempfile.TemporaryDirectory() as folder:
        kept, freed, used = make(folder), make(folder), make(folder)
        takes.mark(freed, True)
        takes.mark(used, True)
        takes.clear(folder, {used})
        assert sorted(takes.all_takes(folder)) == [kept, used] and not os.path.exists(freed)
        assert not takes.read_record(used).freed


def test_takes_that_nothing_plays_are_found_newest_first():
    with tempfile.TemporaryDirectory() as folder:
        old, new = make(folder), make(folder, RECORD._replace(frames_done=5))
        os.utime(old + takes.RECORD, (1, 1))
        make(folder, RECORD._replace(object="Nose"))
        takes.reserve(folder, "Ear", RECORD)
        assert takes.loose_take(folder, "Ear", set()) == new, "one without a file has nothing to show"
        assert takes.loose_take(folder, "Ear", {new}) == old
        takes.mark(old, True)
        assert takes.loose_take(folder, "Ear", {new}) is None


def test_adopted_takes_outlive_those_they_came_from():
    with tempfile.TemporaryDirectory() as parent:
        first, second = os.path.join(parent, "v1"), os.path.join(parent, "v2")
        path = make(first)
        taken = make(second, text="another")
        copy = takes.adopt(path, second)
        assert copy not in (path, taken) and takes.read_record(copy) == RECORD
        takes.remove(path)
        assert not os.path.exists(path) and open(copy, encoding="utf-8").read() == "frames"
        half = make(first, RECORD._replace(frames_done=2), "half")
        copy = takes.adopt(half, second)
        assert not os.path.samefile(half, copy), "a resume writes into one of them"


FACTS = cache_state.Facts(None, False, None, None, None, RECORD.fingerprint, None)


def test_state_is_what_the_disk_and_the_inputs_show():
    judge = cache_state.judge
    assert judge(FACTS).kind == cache_state.EMPTY
    attached = FACTS._replace(attached="Ear.abc", attached_exists=True, attached_record=RECORD)
    assert judge(attached)[:4] == (cache_state.BAKED, 1, 24, ())
    assert judge(attached._replace(attached_exists=False)).kind == cache_state.MISSING
    assert judge(attached._replace(attached_record=None)).kind == cache_state.FOREIGN
    partial = judge(attached._replace(attached_record=RECORD._replace(frames_done=9)))
    assert partial[:3] == (cache_state.PARTIAL, 1, 9) and "1 to 9 of 24" in partial.sentence
    changed = judge(attached._replace(fingerprint={"mesh": "x", "weights": "y", "settings": "b"}))
    assert changed.changed == ("mesh", "weights") and "Out of date: mesh and weights changed" in changed.sentence
    baking = judge(attached._replace(baking=transition.State(transition.RUNNING, 3, 24, "")))
    assert baking.kind == cache_state.BAKING and "3 of 24" in baking.sentence
    loose = judge(FACTS._replace(loose="Ear.002.abc", loose_record=RECORD._replace(frames_done=18)))
    assert "Frames 1 to 18 of another bake are on the disk" in loose.sentence


def test_buttons_that_cannot_be_pressed_have_a_reason():
    empty = cache_state.judge(FACTS)
    for why_not in (cache_state.why_not_free, cache_state.why_not_attach, cache_state.why_not_resume):
        assert why_not(empty)
        assert "running" in why_not(empty._replace(kind=cache_state.BAKING))
    assert not cache_state.why_not_free(empty._replace(kind=cache_state.MISSING))
    assert not cache_state.why_not_resume(empty._replace(kind=cache_state.PARTIAL))
    assert not cache_state.why_not_attach(empty._replace(loose="Ear.002.abc"))


def test_point_caches_are_complete_after_every_frame():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Ear.pc2")
        writer = point_cache.PointCacheWriter(path, 2, 10, 0)
        for frame in range(3):
            writer.add([frame, 0, 0, 0, frame, 0])
        with open(path, "rb") as file:
            content = file.read()
        assert content[:32] == b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 2, 10, 1, 3)
        assert struct.unpack("<18f", content[32:])[6:12] == (1, 0, 0, 0, 1, 0)
        writer = point_cache.PointCacheWriter(path, 2, 10, 2)
        writer.add([9, 9, 9, 9, 9, 9])
        with open(path, "rb") as file:
            content = file.read()
        assert content[28:32] == struct.pack("<i", 3) and struct.unpack("<18f", content[32:])[12:] == (9,) * 6


run(globals())
