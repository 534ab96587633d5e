"""The messages that the docs quote are those of the sources: every table whose first column is "it says"."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import environment, run  # noqa: E402
from pages import Page, page_names  # noqa: E402

SOURCE = environment("JN_TEST_SOURCE")
FOLDERS = ("core", "alembic_io", "plugin_blender")


def literals():
    """All texts in the sources, of C and Python, adjacent ones joined."""
    found = []
    for folder in FOLDERS:
        for ending in ("c", "h", "py"):
            for path in glob.glob(os.path.join(SOURCE, folder, "**", "*." + ending), recursive=True):
                with open(path, encoding="utf-8") as file:
                    text = re.sub(r'\\\n', "", file.read())
                text = re.sub(r'(?<=[^\\"])"\s*\n\s*"(?!")', "", text)
                found += re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
    return [text.replace('\\"', '"').replace("%%", "%") for text in found]


def quoted_messages(page):
    """(place, message) of the rows of the tables of messages."""
    inside = False
    for number, line in enumerate(page.lines, start=1):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[0] == "it says":
            inside = True
        elif inside and not set(line) <= set("|-"):
            yield "{}:{}".format(page.name, number), cells[0]


def is_said(message, texts):
    """Whether one text has all parts of the message, in order; ... in the message stands for anything."""
    parts = [part.strip() for part in message.split("...")]
    pattern = re.compile(".*".join(re.escape(part) for part in parts if part), re.S)
    return any(pattern.search(text) for text in texts)


def test_docs_quote_messages_that_exist():
    texts, wrong, count = literals(), [], 0
    for page in [Page(SOURCE, name) for name in page_names(SOURCE)]:
        for place, message in quoted_messages(page):
            count += 1
            if not is_said(message, texts):
                wrong.append("{}: no source says: {}".format(place, message))
    assert not wrong, "\n".join(wrong)
    assert count > 60, "{} messages".format(count)


def test_docs_messages_that_nobody_says_are_found():
    texts = ["the surface is open: %u of its edges"]
    assert is_said("the surface is open: ... of its edges", texts)
    assert not is_said("the mesh is open", texts)
    assert not is_said("of its edges ... the surface", texts)


run(globals())
