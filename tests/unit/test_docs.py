"""Every command, scene, snippet and program in the docs is run as it stands there: one test for each page."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from docs_runner import Runner  # noqa: E402
from harness import environment, run  # noqa: E402
from pages import page_names  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
BUILD = environment("JN_TEST_BUILD")
SAMPLES = [name for name in page_names(SOURCE) if name.startswith("sample_scenes/")]
# Pages with nothing to run are here too: what is added to them later runs.
PAGES = {
    "readme": ["README.md"],
    "blender": ["docs/blender.md"],
    "command_line": ["docs/command-line.md"],
    "engineers": ["docs/engineers.md"],
    "integrators": ["docs/integrators.md"],
    "materials": ["docs/materials.md"],
    "motion": ["docs/motion.md"],
    "papers": ["docs/papers.md"],
    "python": ["docs/python.md"],
    "scene": ["docs/scene.md"],
    "springs": ["docs/springs.md"],
    "samples": SAMPLES,
    "folders": ["alembic_io/README.md", "plugin_maya/README.md", "tests/bench/README.md"],
}


def run_pages(subject, at_least):
    """at_least: how many commands must have run, so that a test that finds nothing to run does not pass."""
    ran = sum(Runner(SOURCE, BUILD, name).run() for name in PAGES[subject])
    assert ran >= at_least, "{} commands ran".format(ran)
    print("{} commands".format(ran))


def test_docs_readme_runs():
    run_pages("readme", 7)


def test_docs_blender_runs():
    run_pages("blender", 0)


def test_docs_command_line_runs():
    run_pages("command_line", 30)


def test_docs_engineers_runs():
    run_pages("engineers", 4)


def test_docs_integrators_runs():
    run_pages("integrators", 7)


def test_docs_materials_runs():
    run_pages("materials", 2)


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


def test_docs_samples_run():
    run_pages("samples", 5)


def test_docs_of_other_folders_run():
    run_pages("folders", 1)


def test_docs_tests_cover_every_page():
    listed = [name for names in PAGES.values() for name in names]
    assert sorted(listed) == page_names(SOURCE), "PAGES lacks, or has too much: {}".format(
        sorted(set(listed) ^ set(page_names(SOURCE))))
    for subject in PAGES:
        assert any(name.startswith("test_docs_") and subject in name for name in globals()) or subject == "folders"


run(globals())
