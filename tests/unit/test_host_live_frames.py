"""What a live simulation does at each frame, and how coarse it is."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run

sys.path.insert(0, os.path.join(environment("JN_TEST_BUILD"), "python"))
from jounce.host import live_frames
from jounce.host.live_frames import ADVANCE, KEEP, START, WAIT, fitting_resolution, next_action


def test_host_live_starts_at_the_first_frame_and_goes_on():
    assert next_action(1, None, False, 1) == (START, [1])
    assert next_action(2, 1, True, 1) == (ADVANCE, [2])
    assert next_action(2, 2, True, 1) == (KEEP, [])
    assert next_action(1, 48, True, 1) == (START, [1]), "the timeline has come round"


def test_host_live_makes_up_for_frames_that_were_left_out_but_not_for_jumps():
    assert next_action(5, 2, True, 1) == (ADVANCE, [3, 4, 5])
    most = 2 + 1 + live_frames.MOST_LEFT_OUT
    assert next_action(most, 2, True, 1).kind == ADVANCE and next_action(most + 1, 2, True, 1) == (WAIT, [])
    assert next_action(30, 31, True, 1) == (WAIT, []), "backwards"


def test_host_live_starts_where_the_timeline_goes_on_after_a_jump():
    assert next_action(30, None, False, 1) == (WAIT, [])
    assert next_action(30, 30, False, 1) == (WAIT, [])
    assert next_action(31, 30, False, 1) == (START, [30, 31])


def test_host_live_fits_a_mesh_into_its_budget():
    for growth in (1.0, 2.0, 3.0):
        for budget in (100, 500, 5000):
            found = fitting_resolution(lambda cells: 20 * cells ** growth, 64.0, budget)
            assert 0.4 * budget <= 20 * found ** growth <= budget or found == 64.0, (growth, budget, found)
    assert fitting_resolution(lambda cells: 4000, 16.0, 500) == 6.0, "a cloth has the vertices that it has"
    uneven = {6.0: 1029, 4.76: 800, 3.78: 1400, 3.0: 1029, 2.38: 726, 1.89: 240, 1.5: 200}
    found = fitting_resolution(lambda cells: uneven[min(uneven, key=lambda known: abs(known - cells))], 16.0, 500)
    assert abs(found - 1.89) < 0.01, "a finer mesh may need fewer vertices"
    assert fitting_resolution(lambda cells: 30 * cells, 4.0, 500) == 4.0, "never finer than the bake"


run(globals())
