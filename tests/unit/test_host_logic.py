"""What the add-ons for all hosts share, without a host: settings, checks, the bake in its thread, paths, hints."""
import math
import os
import sys
import time
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, message_of, run  # noqa: E402

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce import Bake, tables  # noqa: E402
from jounce.host import (artist_settings, bake_description, bake_drive, bake_job, cache_state, foresight,  # noqa: E402
                         hints, pacing, region_colours, scene_checks, stiffness, together, transition, wrapping)

CUBE = bake_description.BodyShape(
    name="Cube", uvs=None, transform=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0],
    positions=[-.5, -.5, 0, .5, -.5, 0, .5, .5, 0, -.5, .5, 0, -.5, -.5, 1, .5, -.5, 1, .5, .5, 1, -.5, .5, 1],
    face_sizes=[4] * 6,
    face_vertices=[0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7])
SETTINGS = {"law": "stable_neohooke", "young_modulus": 1e4, "poisson_ratio": 0.4, "density": 1000.0,
            "stiffness_damping": 0.0, "mass_damping": 0.0, "resolution": 3.0, "rest_follows_animation": 0.0,
            "settle": False, "keep_shape": False, "warp": False, "steps_per_frame": 2,
            "integrator": "si", "contact_method": "penalty", "pin_group": "Base", "use_ground": True,
            "ground_height": -1.0, "friction": 0.5}


def cube_description(frame_count, **changes):
    world = bake_description.World(10, frame_count, 24.0, 1.0, (0.0, 0.0, -9.81))
    weights = [1, 1, 1, 1, 0, 0, 0, 0]
    return bake_description.bake_description(world, CUBE, weights, dict(SETTINGS, **changes), None, "test")


def cube_job(frame_count, **changes):
    return bake_job.BakeJob(cube_description(frame_count, **changes))


def drive(job, seconds=60.0, before_each=lambda frame: None, seconds_ahead=0.0):
    """Feeds still frames until the job is over; returns the frames that it asked for."""
    asked, deadline = [], time.monotonic() + seconds
    while not transition.is_final(job.state):
        assert time.monotonic() < deadline, "the job hangs while {}".format(job.state.phase)
        frame = job.wanted_frame(seconds_ahead)
        if frame is not None:
            before_each(frame)
            asked.append(frame)
            job.feed({"bodies": [{"targets": CUBE.positions, "transform": CUBE.transform}]})
        job.poll(0.01)
    job.join()
    return asked


def after(*events):
    state = transition.initial(3)
    for event in events:
        state = transition.transition(state, event)
    return state


def test_transition_runs_through_to_the_end():
    state = after(transition.BEGUN, *[transition.FRAME_DONE] * 3, transition.FINISHED)
    assert state.phase == transition.DONE and state.frames_done == 3
    assert transition.report(state, "Cube", 10) == ("INFO", "Baked Cube, frames 10 to 12.")


def test_transition_cancel_keeps_what_was_finished():
    state = after(transition.BEGUN, transition.FRAME_DONE, transition.CANCEL, transition.FRAME_DONE, transition.STOPPED)
    assert state.phase == transition.CANCELLED and state.frames_done == 2
    expected = "The bake of Cube was stopped. Frames 10 to 11 are kept."
    assert transition.report(state, "Cube", 10) == ("WARNING", expected)
    early = after(transition.CANCEL, transition.BEGUN, transition.STOPPED)
    assert transition.report(early, "Cube", 10)[1].endswith("No frame was finished.")


def test_transition_failure_tells_the_reason_and_what_is_kept():
    state = transition.transition(after(transition.BEGUN, transition.FRAME_DONE), transition.FAIL, "the disk is full.")
    expected = "The bake of Cube failed: the disk is full. Frames 1 to 1 are kept."
    assert transition.report(state, "Cube", 1) == ("ERROR", expected)


def test_transition_every_phase_takes_cancel_and_final_ones_nothing_else():
    events = (transition.BEGUN, transition.FRAME_DONE, transition.STOPPED, transition.FINISHED, transition.FAIL)
    for phase in (transition.STARTING, transition.RUNNING, transition.CANCELLING) + transition.FINAL_PHASES:
        state = transition.State(phase, 0, 3, "")
        assert transition.is_final(transition.transition(state, transition.CANCEL)) == transition.is_final(state)
        if transition.is_final(state):
            for event in events:
                assert phase in message_of(transition.ImpossibleEvent, transition.transition, state, event)


def test_bake_job_asks_for_every_frame_once_in_order():
    job = cube_job(5)
    assert drive(job) == [10, 11, 12, 13, 14]
    assert job.state.phase == transition.DONE and job.state.frames_done == 5


def test_bake_job_never_reads_far_ahead():
    job = cube_job(40)

    def near(frame):
        assert frame - 10 - job.state.frames_done < bake_job.LEAST_AHEAD
    drive(job, before_each=near)
    assert job.state.frames_done == 40


def test_bake_job_reads_ahead_for_as_long_as_it_is_told_within_its_memory():
    assert bake_job.frames_ahead(2.0, 0.1, 1000) == 20
    assert bake_job.frames_ahead(2.0, 10.0, 1000) == bake_job.LEAST_AHEAD
    assert bake_job.frames_ahead(2.0, 0.0, bake_job.MOST_BYTES / 10) == 10
    job = cube_job(400)
    drive(job, seconds_ahead=100.0)
    assert job.state.frames_done == 400


def test_bake_job_cancel_stops_soon_with_the_frames_done():
    job = cube_job(100000)

    def stop_at(frame):
        if frame == 15:
            job.cancel()
    drive(job, before_each=stop_at)
    assert job.state.phase == transition.CANCELLED and job.state.frames_done <= 5


def test_bake_job_cancel_at_once_ends():
    job = cube_job(100000, resolution=10.0)
    job.cancel()
    drive(job)
    assert job.state.phase == transition.CANCELLED and job.state.frames_done <= 1


def test_bake_job_host_failure_becomes_the_message():
    job = cube_job(100000)
    for _ in range(2):
        job.feed({})
    job.fail("Cube was removed.")
    drive(job)
    assert job.state.phase == transition.FAILED and job.state.message == "Cube was removed."
    assert job.state.frames_done == 2, "what was fed is baked first"


def test_bake_job_core_refusal_becomes_the_message():
    job = cube_job(5, integrator="leap_of_faith")
    drive(job)
    assert job.state.phase == transition.FAILED and "leap_of_faith" in job.state.message


def run_drive(drive, read_frame):
    """(level, sentence) at its end."""
    deadline = time.monotonic() + 60
    while not drive.step(read_frame, timeout=0.01):
        assert time.monotonic() < deadline, "the drive hangs while {}".format(drive.state.phase)
    return drive.finish()


def test_bake_drive_reads_every_frame_once_and_reports():
    drive, read = bake_drive.BakeDrive("Cube", cube_description(4)), []

    def read_frame(frame):
        read.append(frame)
        return {"bodies": [bake_description.body_input(CUBE.positions, CUBE.transform)]}
    assert run_drive(drive, read_frame) == ("INFO", "Baked Cube, frames 10 to 13.")
    assert read == [10, 11, 12, 13] and drive.finished_range() == (10, 13)


def test_bake_drive_tells_the_note_of_the_core():
    with mock.patch.object(bake_job.Bake, "note", "this processor rounds otherwise"):
        level, sentence = run_drive(bake_drive.BakeDrive("Cube", cube_description(2)), lambda frame: {})
    assert (level, sentence) == ("WARNING", "Baked Cube, frames 10 to 11. Note: this processor rounds otherwise.")


def test_bake_drive_scene_error_ends_it_with_the_frames_before():
    drive = bake_drive.BakeDrive("Cube", cube_description(100000))

    def read_frame(frame):
        if frame == 12:
            raise scene_checks.SceneError("Cube is gone.")
        return {}
    assert run_drive(drive, read_frame) == ("ERROR", "The bake of Cube failed: Cube is gone. Frames 10 to 11 are kept.")
    assert drive.finished_range() == (10, 11)


def test_bake_drive_cancel_before_the_first_frame_finishes_none():
    drive = bake_drive.BakeDrive("Cube", cube_description(100000, resolution=10.0))
    drive.cancel()
    assert run_drive(drive, lambda frame: {})[0] == "WARNING" and drive.finished_range() is None


def test_frame_inputs_hold_gravity_only_where_it_changes():
    down, up = (0, 0, -9.81), (0, 0, 9.81)
    assert together.joined_inputs([{}], [], down, down) == {"bodies": [{}]}
    assert together.joined_inputs([{}], [{}], up, down) == {"bodies": [{}], "colliders": [{}], "gravity": up}


def test_bodies_are_joined_to_one_bake_if_what_concerns_all_is_equal():
    cube, ball = cube_description(4), cube_description(4, young_modulus=3e4)
    ball["bodies"][0]["name"] = "Ball"
    found = together.joined([cube, ball], [{"name": "Wall"}])
    assert [body["name"] for body in found["bodies"]] == ["Cube", "Ball"]
    assert [collider["name"] for collider in found["colliders"]] == ["Wall", "Ground"]
    other = cube_description(4, steps_per_frame=3, contact_method="barrier")
    text = message_of(scene_checks.SceneError, together.joined, [cube, other], [])
    assert "differ in" in text and '"Substeps"' in text and "contact" in text
    lower = cube_description(4, ground_height=-2.0)
    assert "height" in message_of(scene_checks.SceneError, together.joined, [cube, lower], [])
    assert len(together.joined([cube, cube_description(4, use_ground=False)], [])["colliders"]) == 1


def test_region_colours_lie_over_each_other_as_paint_does():
    red, blue = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    alone, both, none = region_colours.blended([(red, [1, 1, 0]), (blue, [0, 1, 0])], 3)
    assert alone == red + (region_colours.OPACITY,) and none == (0, 0, 0, 0)
    assert both[2] > both[0] > 0 and region_colours.OPACITY < both[3] < 1
    assert region_colours.colour_of(0) != region_colours.colour_of(1)


def test_lines_are_found_again_among_their_ends():
    curves = {"positions": [0.0] * 9, "curve_sizes": [2, 2], "curve_vertices": [2, 0, 0, 1]}
    description = {"bodies": [{"name": "Net", "kind": "girders", "curves": curves}]}
    assert bake_description.corners_of_lines(description) == {0: [2, 3, 0]}
    curves["curve_vertices"] = [2, 0, 0, 2]
    assert "without an edge" in message_of(scene_checks.SceneError, bake_description.corners_of_lines, description)


def test_scene_checks_say_what_is_wrong():
    assert scene_checks.frame_count(5, 5) == 1
    assert "empty" in message_of(scene_checks.SceneError, scene_checks.frame_count, 5, 4)
    scene_checks.check_has_vertices("Cube", [0, 0, 0], 1)
    assert "Cube has no vertices at frame 7" in message_of(
        scene_checks.SceneError, scene_checks.check_has_vertices, "Cube", [], 7)
    scene_checks.check_vertex_count("Cube", 8, 8, 7, "a modifier")
    assert "Look for a modifier" in message_of(
        scene_checks.SceneError, scene_checks.check_vertex_count, "Cube", 9, 8, 7, "a modifier")


def test_artist_settings_are_in_the_core_and_in_the_description():
    for scope, key in list(artist_settings.NUMBERS.values()) + list(artist_settings.SWITCHES.values()):
        assert tables.setting(scope, key).label
    defaults = artist_settings.menu_defaults()
    for name, (scope, key, entries) in artist_settings.MENUS.items():
        names = [entry.name for entry in entries()]
        assert tables.setting(scope, key).label and defaults[name] in names
        assert len({artist_settings.menu_number(entry) for entry in names}) == len(names)
    known = set(artist_settings.NUMBERS) | set(artist_settings.SWITCHES) | set(artist_settings.MENUS)
    needed = set(SETTINGS) - {"pin_group", "use_ground", "ground_height"}
    assert needed <= known
    assert known - needed - {"wobble_frequency", "settle_seconds"} <= set(bake_description.OPTIONAL)


def test_description_warps_only_the_law_that_can_be_warped():
    laws = {entry.name: cube_description(1, law=entry.name, warp=True)["bodies"][0] for entry in tables.materials()}
    assert {name for name, body in laws.items() if body["material"]["warp"]} == {"linear"}
    for body in laws.values():
        assert drive(bake_job.BakeJob(dict(cube_description(1), bodies=[body]))) == [10]


def test_description_numbers_are_those_the_artist_typed():
    single = 0.10000000149011612  # 0.1 in 32 bits
    assert bake_description.typed_number(single) == 0.1
    assert bake_description.typed_number(1e13) == 1e13


def test_hints_say_what_the_integrator_leaves_of_a_wobble():
    # the amplitude shrinks as exp(-d t / 2)
    assert abs(hints.wobble_left(0.1, 2) - math.exp(-0.05 * 2 * math.pi * 2)) < 1e-12
    assert hints.integrator_line(lambda h_omega: 0, 0.01) == "A second leaves 100% of 2 Hz, 100% of 5 Hz, 100% of 12 Hz"

    def only_slow(h_omega):
        if h_omega > 0.2:
            raise ValueError("too long")
        return 0.1
    assert hints.integrator_line(only_slow, 0.01) == "A second leaves 53% of 2 Hz"


def test_hints_of_a_core_integrator_are_its_damping():
    assert hints.core_integrator_line("midpoint", 4, 25).startswith("A second leaves 100% of 2 Hz")
    assert hints.core_integrator_line("si", 4, 25) != hints.core_integrator_line("midpoint", 4, 25)
    assert hints.core_integrator_line("si", 0, 25) == hints.core_integrator_line("si", 4, 25)
    assert hints.core_integrator_line("auto", 0, 25) == ""
    assert hints.core_integrator_line("leap_of_faith", 4, 25) == ""
    assert hints.chosen_integrator_line("ssdirk", 8, 25) == (
        "Semi-implicit SDIRK, 8 substeps. " + hints.core_integrator_line("ssdirk", 8, 25))


def test_foresight_names_what_auto_takes_only_where_all_is_known_that_it_looks_at():
    description = dict(cube_description(1), integrator="auto", steps_per_frame=0)
    found = foresight.foresee(description, "Jelly")
    assert found.integrator == "ssdirk" and found.steps_per_frame > 0
    assert any("auto takes ssdirk with {} time steps".format(found.steps_per_frame) in line for line in found.lines)
    partly = foresight.foresee(description, "Jelly", complete=False)
    assert partly.integrator == "" and not any("auto" in line for line in partly.lines) and partly.lines
    named = foresight.foresee(dict(description, integrator="be"), "Jelly", complete=False)
    assert (named.integrator, named.steps_per_frame) == ("be", 4)


def test_hints_name_the_next_step():
    empty = cache_state.State(cache_state.EMPTY, None, None, (), "Not baked.", None)
    facts = hints.Facts(pin_group="", pin_group_exists=False, follows=False, use_ground=False, gravity=9.81,
                        frame_range=(1, 24), state=empty, file_is_saved=True, hides_cache=False,
                        has_alembic=True)
    assert "Pin Group" in hints.next_steps(facts)[0]
    assert "Press Bake" in hints.next_steps(facts._replace(use_ground=True))[0]
    assert hints.next_steps(facts._replace(pin_group="A", pin_group_exists=True)) == ["Press Bake for frames 1 to 24."]
    assert "is gone" in hints.next_steps(facts._replace(pin_group="A"))[0]
    assert hints.next_steps(facts._replace(follows=True)) == ["Press Bake for frames 1 to 24."]
    baked = empty._replace(kind=cache_state.BAKED, first=1, last=9, sentence="Baked frames 1 to 9.")
    assert hints.next_steps(facts._replace(state=baked)) == ["Baked frames 1 to 9."]
    assert "Object Mode" in hints.next_steps(facts._replace(state=baked, hides_cache=True))[1]
    assert hints.next_steps(facts._replace(state=baked._replace(changed=("mesh",))))[0].endswith("Bake again.")
    assert "0.0981 m/s2" in hints.next_steps(facts._replace(gravity=0.0981))[1]
    assert "no Alembic" in hints.next_steps(facts._replace(has_alembic=False))[1]
    assert "Save the file" in hints.next_steps(facts._replace(file_is_saved=False))[-1]


def test_stiffness_by_sag_is_what_the_core_then_says():
    description = cube_description(2)
    description["bodies"][0][stiffness.SAG] = 0.02
    with Bake(stiffness.resolved(description)) as core:
        sag = core.sag()
    assert abs(sag["sag"] / sag["size"] - 0.02) < 1e-6
    description["gravity"] = (0.0, 0.0, 0.0)
    assert "does not sag" in message_of(scene_checks.SceneError, stiffness.resolved, description)
    job = bake_job.BakeJob(description)
    drive(job)
    assert job.state.message.startswith("Cube does not sag"), "a bake says it in the same words"


def test_description_takes_wobble_and_seconds_in_place_of_numbers_of_materials():
    material = cube_description(2, stiffness_way="wobble", wobble_frequency=3.0, damping_way="seconds",
                                settle_seconds=1.0)["bodies"][0]["material"]
    assert material["wobble_frequency"] == 3.0 and material["settle_seconds"] == 1.0
    assert material["stiffness_damping"] == 0.0


def test_frame_lists_are_numbers_or_refused_in_words():
    assert scene_checks.frame_list("24, 90 3") == {3, 24, 90} and scene_checks.frame_list("") == set()
    assert "frame numbers with commas" in message_of(scene_checks.SceneError, scene_checks.frame_list, "soon")


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def slice_of(pacer, clock, results, seconds_per_step):
    """(what run_slice returned, how many steps it made)."""
    made = []

    def step(timeout):
        clock.now += seconds_per_step
        made.append(timeout)
        return results[min(len(made), len(results)) - 1]
    return pacer.run_slice(step), len(made)


def test_pacing_reads_what_the_core_needs_and_is_never_deaf_for_a_second():
    clock = Clock()
    pacer = pacing.Pacer(clock)
    assert slice_of(pacer, clock, [False] * 9 + [None], 0.01) == (False, 10), "until there is enough"
    over, steps = slice_of(pacer, clock, [False], 0.01)
    assert not over and abs(steps - pacing.LONGEST_SLICE / 0.01) <= 1
    assert slice_of(pacer, clock, [None], 0.02) == (False, 1), "the window stays quick while the core is busy"
    assert slice_of(pacer, clock, [False, False, True], 0.001) == (True, 3)


def pictures(drawing, seconds, passes=1):
    """How often a window is drawn that takes `drawing` seconds for it, in several passes, while the core finishes a frame in
    every slice."""
    clock = Clock()
    pacer, count, waiting = pacing.Pacer(clock), 0, 0
    while clock.now < seconds:
        slice_of(pacer, clock, [None], 0.02)
        if pacer.is_picture_due():
            count, waiting = count + 1, passes
        clock.now += pacing.IDLE_SECONDS + (drawing / passes if waiting > 0 else 0.0)
        waiting -= 1
    return count


def test_pacing_draws_five_times_a_second_and_less_often_where_that_is_slow():
    assert 40 <= pictures(0.001, 10) <= 50
    for drawing in (0.5, 5.0):
        for passes in (1, 8):
            share = pictures(drawing, 1000, passes) * drawing / 1000
            assert 0.7 * pacing.DRAWING_SHARE < share < 1.1 * pacing.DRAWING_SHARE, share


def test_pacing_lets_the_core_have_work_until_after_the_next_picture():
    clock = Clock()
    pacer = pacing.Pacer(clock)
    slice_of(pacer, clock, [False, None], 0.01)
    assert pacer.is_picture_due(), "a frame was read: the host will draw"
    clock.now += 2 + pacing.IDLE_SECONDS  # slowly
    slice_of(pacer, clock, [None], 0.01)
    assert abs(pacer.interval - 2 / pacing.DRAWING_SHARE) < 1e-9 and pacer.seconds_ahead > pacer.interval
    assert not pacer.is_picture_due() and pacer.is_text_due() and not pacer.is_text_due()


def test_wrapping_keeps_every_word_and_the_width():
    text = "Paint a vertex group where the animation leads and choose it as Pin Group."
    lines = wrapping.wrapped(text, 30, len)
    assert " ".join(lines) == text and max(map(len, lines)) <= 30 and len(lines) == 3
    assert wrapping.wrapped("Incomprehensibilities", 5, len) == ["Incomprehensibilities"]
    assert wrapping.wrapped("", 5, len) == []


def test_labels_get_the_room_that_they_need_and_values_are_whole():
    assert wrapping.label_share(50, 60, 200) == wrapping.USUAL_SHARE
    assert wrapping.label_share(120, 60, 200) == 0.6
    assert wrapping.label_share(20, 150, 200) == 0.25
    assert wrapping.label_share(120, 150, 200) == 0.25 and wrapping.label_share(10, 300, 200) == 0


run(globals())
