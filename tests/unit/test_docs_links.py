"""Links between the pages lead somewhere, and every page can be found."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run  # noqa: E402
from pages import Page, page_names  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
OUTSIDE = ("http://", "https://")


def relative_links(page):
    """(place, file relative to the project, anchor) of the page's links within the project."""
    for place, target in page.links():
        if target.startswith(OUTSIDE):
            continue
        path, _, anchor = target.partition("#")
        folder = os.path.dirname(page.name)
        yield place, os.path.normpath(os.path.join(folder, path)) if path else page.name, anchor


def test_docs_links_lead_to_files_and_headings_that_exist():
    wrong, count = [], 0
    for page in [Page(SOURCE, name) for name in page_names(SOURCE)]:
        for place, target, anchor in relative_links(page):
            count += 1
            if not os.path.exists(os.path.join(SOURCE, target)):
                wrong.append("{}: there is no {}".format(place, target))
            elif anchor and anchor not in Page(SOURCE, target).anchors():
                wrong.append("{}: {} has no heading #{}".format(place, target, anchor))
    assert not wrong, "\n".join(wrong)
    assert count > 100


def test_docs_index_has_every_page():
    linked = {target for _, target, _ in relative_links(Page(SOURCE, "docs/README.md"))}
    pages = {name for name in page_names(SOURCE) if not name.startswith("sample_scenes/")} - {"README.md", "docs/README.md"}
    assert pages <= linked, "docs/README.md does not link to {}".format(sorted(pages - linked))


def test_docs_contents_of_scene_have_every_heading_in_order():
    page = Page(SOURCE, "docs/scene.md")
    first = page.prose.index("\n## ")
    contents = [target[1:] for place, target in page.links()
                if target.startswith("#") and int(place.split(":")[1]) <= page.prose.count("\n", 0, first)]
    assert contents == page.anchors()[1:]


def test_docs_pictures_are_small_and_shown():
    shown = {target for name in page_names(SOURCE) for _, target, _ in relative_links(Page(SOURCE, name))}
    folder = os.path.join(SOURCE, "docs", "pictures")
    for name in sorted(os.listdir(folder)):
        if name.endswith((".png", ".svg")):
            assert os.path.join("docs", "pictures", name) in shown, name + " is not shown by any page"
            assert os.path.getsize(os.path.join(folder, name)) < 1000000, name + " is too large"


run(globals())
