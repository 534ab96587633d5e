"""Every command, scene, snippet and program in the docs is run as it stands there: one test for each page."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from docs_runner import Runner, shorten  # noqa: E402
from harness import environment, message_of, run  # noqa: E402
from pages import page_names  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
BUILD = environment("JN_TEST_BUILD")
SAMPLES = [name for name in page_names(SOURCE) if name.startswith("sample_scenes/")]
# Pages with nothing to run are here too: what is added to them later runs.
PAGES = {
    "readme": ["README.md"],
    "blender": ["docs/blender.md"],
    "command_line": ["docs/command-line.md"],
    "contact": ["docs/contact.md"],
    "engineers": ["docs/engineers.md"],
    "figures": ["docs/figures.md"],
    "integrators": ["docs/integrators.md"],
    "materials": ["docs/materials.md"],
    "meshing": ["docs/meshing.md"],
    "motion": ["docs/motion.md"],
    "papers": ["docs/papers.md"],
    "python": ["docs/python.md"],
    "scene": ["docs/scene.md"],
    "springs": ["docs/springs.md"],
    "troubleshooting": ["docs/troubleshooting.md"],
    "tutorial": ["docs/tutorial.md"],
    "performance": ["docs/performance.md"],
    "index": ["docs/README.md"],
    "samples": SAMPLES,
    "folders": ["alembic_io/README.md", "plugin_maya/README.md", "tests/bench/README.md"],
}


def run_pages(subject, at_least):
    """at_least: how many commands must have run, so that a test that finds nothing to run does not pass."""
    ran, runner = 0, None
    for name in PAGES[subject]:
        runner = Runner(SOURCE, BUILD, name, before=runner)
        ran += runner.run()
    assert ran >= at_least, "{} commands ran".format(ran)
    print("{} commands".format(ran))


def test_docs_readme_runs():  # slow
    run_pages("readme", 7)


def test_docs_blender_runs():
    run_pages("blender", 0)


def test_docs_command_line_runs():
    run_pages("command_line", 30)


def test_docs_contact_runs():
    run_pages("contact", 3)


def test_docs_engineers_runs():
    run_pages("engineers", 4)


def test_docs_figures_runs():
    run_pages("figures", 0)


def test_docs_integrators_runs():
    run_pages("integrators", 7)


def test_docs_materials_runs():
    run_pages("materials", 2)


def test_docs_meshing_runs():
    run_pages("meshing", 1)


def test_docs_motion_runs():
    run_pages("motion", 10)


def test_docs_papers_runs():
    run_pages("papers", 0)


def test_docs_python_runs():
    run_pages("python", 2)


def test_docs_scene_runs():
    run_pages("scene", 6)


def test_docs_springs_runs():
    run_pages("springs", 5)


def test_docs_troubleshooting_runs():
    run_pages("troubleshooting", 1)


def test_docs_tutorial_runs():
    run_pages("tutorial", 4)


def test_docs_performance_runs():
    run_pages("performance", 4)


def test_docs_index_runs():
    run_pages("index", 0)


def test_docs_samples_run():  # slow
    run_pages("samples", 4)


def test_docs_of_other_folders_run():
    run_pages("folders", 1)


# Runs the program that it is given, and prints the volume that the surface encloses after each frame, relative to the first.
VOLUMES = """
import jounce, sys
faces, volumes, advance = [], [], jounce.Bake.advance

def volume(points):
    rows = [points[3 * i:3 * i + 3] for i in range(len(points) // 3)]
    total = 0
    for a, b, c, d in (faces[i:i + 4] for i in range(0, len(faces), 4)):
        for (x, y, z), (u, v, w), (p, q, r) in ((rows[a], rows[b], rows[c]), (rows[a], rows[c], rows[d])):
            total += (x * (v * r - w * q) + y * (w * p - u * r) + z * (u * q - v * p)) / 6
    return total

def recorded(bake, *arguments, **named):
    advance(bake, *arguments, **named)
    volumes.append(volume(bake.positions()))

jounce.Bake.advance = recorded
program = {}
faces += [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7]
exec(open("jelly.py").read(), program)
assert program["jelly"]["surface"]["face_vertices"] == faces
print("volumes", *(one / volumes[0] for one in volumes))
"""


def test_docs_cube_of_the_python_page_wobbles_and_keeps_its_volume():
    runner = Runner(SOURCE, BUILD, "docs/python.md")
    for block in runner.page.blocks:
        runner.block(block)
    with open(runner.path("volumes.py"), "w", encoding="utf-8") as file:
        file.write(VOLUMES)
    printed = runner.shell("docs/python.md", "PYTHONPATH=build/python python3 volumes.py")
    volumes = [float(word) for word in printed.split("volumes")[1].split()]
    assert len(volumes) == 24
    assert 0.9 < min(volumes) and max(volumes) < 1.1, volumes
    assert max(volumes) - min(volumes) > 0.001, "nothing moves"


def refused(text):
    """What the runner says of a page with this text."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return message_of(AssertionError, lambda: Runner(SOURCE, BUILD, path).run())


def test_docs_runner_names_the_line_that_fails():
    for text, line, reason in (
            ("a\n\n```\njounce list\n```\n", 3, "unknown kind"),
            ("a\n\n    jounce list\n", 3, "indented"),
            ("```sh\njounce list\njounce lsit\n```\n", 3, "lsit"),
            ("```sh\njounce version\n```\n\n```text output\njounce 9.9.9\n```\n", 6, "does not print"),
            ("```text\njounce list\n```\n", 1, "the kind is sh"),
            ('```json\n{"name": "a", }\n```\n', 1, "no JSON"),
            ('```json\n"colour": 1\n```\n', 1, "colour"),
            ('```json\n{"name": "a", "mesh": "none.obj"}\n```\n', 1, "none.obj"),
            ("```json a.json\n{}\n```\n", 1, "save this as `a.json`"),
            ("```python\nprint()\n```\n", 1, "name"),
            ("```c\nint a;\n```\n", 1, "tests/listings"),
            ("Use `jounce bake --frmes 3`.\n", 1, "--frmes"),
            ("\nUse `jounce info\nnone.abc`.\n", 2, "none.abc"),
            ('Set `"densty": 1`.\n', 1, "densty"),
            ("```sh\njounce list\n", 1, "does not end"),
    ):
        said = refused(text)
        assert "page.md:{}: ".format(line) in said and reason in said, (text, said)


def test_docs_runner_runs_what_an_earlier_page_ran_only_once():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "page.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write("```sh\necho again >>times.txt\necho again >>times.txt\n```\n")
        first = Runner(SOURCE, BUILD, path)
        second = Runner(SOURCE, BUILD, path, before=first) if first.run() else None
        assert second.run() == 0
        with open(second.path("times.txt"), encoding="utf-8") as file:
            assert file.read() == "again\n" * 2


def test_docs_runner_shortens_commands_with_and_without_the_option():
    assert shorten("jounce compare scene.json --frames 48 -o a") == "jounce compare scene.json -o a --frames 4"
    assert shorten("build/jounce compare scene.json") == "build/jounce compare scene.json --frames 4"
    assert shorten("jounce bake sample_scenes/pudding/scene.json") == "jounce bake sample_scenes/pudding/scene.json"


def test_docs_tests_cover_every_page():
    listed = [name for names in PAGES.values() for name in names]
    assert sorted(listed) == page_names(SOURCE), "PAGES lacks, or has too much: {}".format(
        sorted(set(listed) ^ set(page_names(SOURCE))))
    for subject in PAGES:
        assert any(name.startswith("test_docs_") and subject in name for name in globals()) or subject == "folders"


run(globals())
