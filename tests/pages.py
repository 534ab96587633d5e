"""The project's pages in Markdown, taken apart: blocks of code, commands and JSON within sentences, headings, links.

A block of code is a fence that names its kind, and where it is saved if the commands after it name that file:

    ```json scene.json      a scene; a snippet without the key "jounce" is completed by docs_runner.complete
    ```sh                   commands, one a line, that run in the project's folder
    ```python jelly.py      ```c            a program, a piece of C
    ```text                 a drawing, a formula, a synopsis: nothing that could be run
    ```text output          what the command before it prints; ... stands for anything
"""
import os
import re

KINDS = ("json", "sh", "python", "c", "text")


class PageError(AssertionError):
    """Begins with file:line, so that editors jump there."""

    def __init__(self, place, sentence):
        super().__init__("{}: {}".format(place, sentence))


class Block:
    def __init__(self, page, line, info, text):
        self.page, self.line, self.text = page, line, text
        words = info.split()
        self.kind, self.name = (words + ["", ""])[:2]

    @property
    def place(self):
        return "{}:{}".format(self.page.name, self.line)


class Page:
    def __init__(self, source, name):
        """name: relative to the folder `source`."""
        self.source, self.name = source, name
        with open(os.path.join(source, name), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.blocks, self.prose = self._split()

    def _split(self):
        """Blocks of code, and the page with blank lines in their place."""
        blocks, prose, start = [], list(self.lines), None
        for number, line in enumerate(self.lines, start=1):
            fence = re.match(r" *```(.*)$", line)
            if start is None and not fence:
                before = self.lines[number - 2] if number > 1 else ""
                if line.startswith("    ") and not before.strip():
                    raise PageError("{}:{}".format(self.name, number), "an indented block: use a fence with its kind")
                continue
            prose[number - 1] = ""
            if start is None:
                start, indent, info = number, len(line) - len(line.lstrip()), fence.group(1)
            elif fence:
                text = "".join(inner[indent:] + "\n" for inner in self.lines[start:number - 1])
                blocks.append(Block(self, start, info, text))
                start = None
        if start is not None:
            raise PageError("{}:{}".format(self.name, start), "the fence does not end")
        return blocks, "\n".join(prose)

    def place(self, offset):
        return "{}:{}".format(self.name, self.prose.count("\n", 0, offset) + 1)

    def spans(self):
        """(place, text) of all that stands between backquotes within the text."""
        for match in re.finditer(r"(?<!`)`([^`]+)`(?!`)", self.prose):
            yield self.place(match.start()), " ".join(match.group(1).split())

    def links(self):
        """(place, target) of links and pictures."""
        for match in re.finditer(r"\]\(([^)\s]+)\)", self.prose):
            yield self.place(match.start()), match.group(1)

    def headings(self):
        """(level, text)"""
        return [(len(match.group(1)), match.group(2)) for match in re.finditer(r"^(#+) +(.*)$", self.prose, re.M)]

    def anchors(self):
        """What # may lead to, as GitHub makes it of headings; a second heading of that name gets -1."""
        found = []
        for _, text in self.headings():
            anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = sum(1 for other in found if other == anchor or re.fullmatch(re.escape(anchor) + r"-\d+", other))
            found.append(anchor if not count else "{}-{}".format(anchor, count))
        return found


def page_names(source):
    """All pages of the project, relative to its folder."""
    found = []
    for folder, folders, files in os.walk(source):
        folders[:] = [name for name in folders if not name.startswith(("build", "."))]
        found += [os.path.relpath(os.path.join(folder, name), source) for name in files if name.endswith(".md")]
    return sorted(name.replace(os.sep, "/") for name in found)
