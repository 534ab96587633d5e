"""Runs what a page of the docs shows, as it stands there, in a folder that looks like the project's after the build.

Blocks run from top to bottom; the files that they write stay for those below. Then the commands and the JSON that stand
within sentences. What fails is named as file:line.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile

from harness import environment
from pages import KINDS, Page, PageError

# What no test of the docs can run, by how the command begins.
NOT_RUN = {
    "sh sample_scenes/run.sh": "installs packages and builds; the commands that it ends with are those of the pages",
    "sh tests/run.sh": "runs this test",
    "sh tests/window/run.sh": "needs a Blender with a screen, and takes minutes",
    "cmake ": "builds",
    "build/tests/bench_": "takes minutes, and prints times only",
    "python3 tests/bench/": "takes minutes, and prints times only; one needs MuJoCo",
    "blender ": "needs Blender: tests/host/test_docs_blender.py runs it",
}
# Commands of more than some seconds, by how they begin: run with this option, in place of their own if they have it.
# The pudding is baked whole by the pages of the samples.
SHORTENED = {
    "jounce bake sample_scenes/pudding/scene.json -o": ("--frames", "6"),
    "jounce compare sample_scenes/": ("--frames", "4"),
    "jounce compare scene.json": ("--frames", "4"),
    "jounce show jelly.abc --movie": ("--count", "6"),
    "jounce show sample_scenes/pudding/scene.abc --movie": ("--count", "6"),
}
# The settings of a program that scene files do not have.
NOT_IN_SCENES = {"releasable_pins": "a field of JnBody, for callers of the core"}
# Lines for the start-up file of a shell.
OTHER_SHELLS = {"completion bash": "bash", "completion zsh": "zsh", "completion fish": "fish"}
FRAMES = 3  # baked of a scene that no command of its page names


def shorten(command):
    for beginning, (option, value) in SHORTENED.items():
        if command.startswith((beginning, "build/" + beginning)):
            return re.sub(r" {} \S+".format(option), "", command) + " {} {}".format(option, value)
    return command


class Runner:
    def __init__(self, source, build, page_name, blender_python=None, before=None):
        """blender_python: one with Blender's bpy package, to run the commands that start Blender too.
        before: a runner that has run another page. This one works in its folder, where what the blocks of that page ran
        is done, and is not run again."""
        self.source, self.build = source, build
        self.page = Page(source, page_name)
        self.folder = before.folder if before else self.make_folder()
        self.done = dict(before.done, **before.printed) if before else {}
        self.printed = {}  # by each command of the blocks of this page
        self.output = ""  # of the last command
        self.ran = 0
        self.not_run = [beginning for beginning in NOT_RUN if beginning != "blender " or not blender_python]
        path = build + os.pathsep + os.environ["PATH"]
        if blender_python:
            path = self.make_blender(blender_python) + os.pathsep + path
        self.environment = dict(os.environ, PATH=path, LC_ALL="C.UTF-8", JN_TEST_BUILD=build)

    def make_folder(self):
        self.folder = tempfile.TemporaryDirectory(prefix="jounce-docs-")
        shutil.copytree(os.path.join(self.source, "sample_scenes"), self.path("sample_scenes"),
                        ignore=shutil.ignore_patterns("*.abc*", "*.png"))
        for name in ("docs", "tests", "core"):
            os.symlink(os.path.join(self.source, name), self.path(name))
        os.symlink(self.build, self.path("build"))
        return self.folder

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def make_blender(self, python):
        """The command `blender`. Returns its folder."""
        os.mkdir(self.path("bin"))
        with open(self.path("bin/blender"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec "{}" "{}/tests/host/blender.py" "$@"\n'.format(python, self.source))
        os.chmod(self.path("bin/blender"), 0o755)
        return self.path("bin")

    # ---------------------------------------------------------------------------- commands

    def shell(self, place, command, words=("sh", "-ec")):
        result = subprocess.run(list(words) + [command], cwd=self.folder.name, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=240)
        self.ran += 1
        if result.returncode:
            raise PageError(place, "`{}` ended with {}: {}".format(command, result.returncode, result.stderr[-2000:]))
        return result.stdout

    def command(self, place, command):
        """One line of a block in sh, without its comment."""
        if command.startswith(tuple(self.not_run)):
            return self.named_files_exist(place, command)
        for part, shell in OTHER_SHELLS.items():
            if part in command and re.search(r"eval|source", command):
                if shutil.which(shell):
                    self.shell(place, command, (shell, "-c"))
                else:
                    self.shell(place, "jounce " + part)
                return None
        self.output = self.done[command] if command in self.done else self.shell(place, shorten(command))
        self.printed[command] = self.output
        return None

    def named_files_exist(self, place, command):
        """For a command that is not run: its scripts and programs are there."""
        for word in shlex.split(command):
            program = re.fullmatch(r"build/tests/(bench_\w+)", word)
            name = "tests/bench/{}.c".format(program.group(1)) if program else word
            if name.endswith((".sh", ".py", ".c")) and "/" in name and not os.path.exists(self.path(name)):
                raise PageError(place, "`{}` names {}, which is not there".format(command, name))

    def commands_of(self, block):
        """(place, command) of a block in sh. Lines that end in a backslash go on in the next."""
        whole, start = "", 0
        for number, line in enumerate(block.text.split("\n"), start=block.line + 1):
            whole, start = (whole + line, start) if whole else (line, number)
            if whole.endswith("\\"):
                whole = whole[:-1]
                continue
            command = re.sub(r"(^|\s)#.*$", "", whole).strip()
            whole = ""
            if command:
                yield "{}:{}".format(self.page.name, start), command

    def check_output(self, block):
        """Every line of the block is printed by the command before, in this order."""
        at, printed = 0, self.output.split("\n")
        for number, line in enumerate(block.text.rstrip("\n").split("\n"), start=block.line + 1):
            pattern = ".*".join(re.escape(part) for part in line.rstrip().split("..."))
            while at < len(printed) and not re.fullmatch(pattern, printed[at].rstrip()):
                at += 1
            if at == len(printed):
                raise PageError("{}:{}".format(self.page.name, number),
                                "the command does not print this line; it prints:\n" + self.output)

    # ---------------------------------------------------------------------------- JSON

    def settings(self):
        if not hasattr(self, "_settings"):
            self._settings = json.loads(self.shell(self.page.name, "jounce list settings --json"))["settings"]
        return self._settings

    def scope_holds(self, scope, key):
        return any(entry["scope"] == scope and entry["key"] == key for entry in self.settings())

    def complete(self, place, snippet):
        """The scene at the top of docs/scene.md, with the snippet in it: a body with a name takes the place of the
        tail; keys replace those of the scene, of the tail, or of an object of theirs, whichever has them first."""
        top = Page(self.source, "docs/scene.md")
        for _, command in self.commands_of(next(block for block in top.blocks if block.kind == "sh")):
            if not os.path.exists(self.path(shlex.split(command)[-1])):
                self.shell(top.name, command)
        scene = json.loads(next(block for block in top.blocks if block.kind == "json").text)
        if "name" in snippet:
            scene["bodies"] = [snippet]
            return scene
        body = scene["bodies"][0]
        places = [("scene", lambda: scene), ("body", lambda: body)]
        places += [(name, lambda name=name: body.setdefault(name, {})) for name in ("material", "springs")]
        places += [(name, lambda name=name: scene.setdefault(name, {}))
                   for name in ("units", "frames", "world", "integrator", "contact", "output")]
        for key, value in snippet.items():
            holder = next((get for scope, get in places if self.scope_holds(scope, key)), None)
            if holder is None:
                raise PageError(place, "no table of docs/scene.md has the key {}".format(key))
            holder()[key] = value
        return scene

    def scene(self, place, text, name):
        """Checks a scene or a snippet of one. Returns the name of the file."""
        try:
            value = json.loads(text)
        except ValueError:
            try:
                value = json.loads("{" + text + "}")
            except ValueError as error:
                raise PageError(place, "this is no JSON: {}".format(error))
        if "jounce" in value:
            with open(self.path(name or "scene.json"), "w", encoding="utf-8") as file:
                file.write(text)
        else:
            with open(self.path(name or "snippet.json"), "w", encoding="utf-8") as file:
                json.dump(self.complete(place, value), file)
            name = name or "snippet.json"
        self.shell(place, "jounce check " + shlex.quote(name or "scene.json"))
        self.shell(place, "jounce bake -q --frames {} {} -o snippet.abc".format(FRAMES, shlex.quote(name or "scene.json")))
        return name

    # ---------------------------------------------------------------------------- C

    def compile(self, block):
        """Inside tests/listings/<page>_<number>.c, which declares what the listing takes as given."""
        number = [other for other in self.page.blocks if other.kind == "c"].index(block) + 1
        page = self.page.name.replace("/README.md", ".md").split("/")[-1].replace(".md", "")
        context = os.path.join(self.source, "tests", "listings", "{}_{}.c".format(page, number))
        if not os.path.exists(context):
            raise PageError(block.place, "tests/listings has no {}".format(os.path.basename(context)))
        with open(self.path("listing.h"), "w", encoding="utf-8") as file:
            file.write('#line {} "{}"\n{}'.format(block.line + 1, self.page.name, block.text))
        folders = ["core", "core/include", "alembic_io/include"]
        command = [environment("JN_TEST_CC"), "-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", context]
        command += ["-I" + os.path.join(self.source, folder) for folder in folders] + ["-I" + self.folder.name]
        self.shell(block.place, " ".join(shlex.quote(word) for word in command))

    # ---------------------------------------------------------------------------- the page

    def block(self, block):
        if block.kind not in KINDS:
            raise PageError(block.place, "a block of unknown kind; kinds are " + ", ".join(KINDS))
        if block.name and block.name != "output":
            before = "\n".join(self.page.lines[:block.line - 1])
            if "`{}`".format(block.name) not in before:
                raise PageError(block.place, "the text above does not tell to save this as `{}`".format(block.name))
            with open(self.path(block.name), "w", encoding="utf-8") as file:
                file.write(block.text)
        if block.kind == "sh":
            for place, command in self.commands_of(block):
                self.command(place, command)
        elif block.kind == "json":
            self.scene(block.place, block.text, block.name)
        elif block.kind == "c":
            self.compile(block)
        elif block.kind == "python" and not block.name:
            raise PageError(block.place, "give the file a name, and the command that runs it")
        elif block.kind == "text" and block.name == "output":
            self.check_output(block)
        elif block.kind == "text":
            hidden = re.search(r"^(build/)?jounce [^\[|\n]*$", block.text, re.M)
            if hidden:
                raise PageError(block.place, "a command, `{}`: the kind is sh".format(hidden.group(0)))

    def usage(self, name):
        """What follows the name in the usage of a command, and all its help."""
        text = self.shell(self.page.name, "jounce help " + shlex.quote(name))
        return re.search(r"Usage: jounce \S+(.*)", text).group(1).split(), text

    def mentioned(self, place, span):
        """A command within a sentence: run if it is whole, else its options must exist."""
        words = shlex.split(span)
        if words[0] != "jounce":
            return self.command(place, span)
        if len(words) < 2 or words[1].endswith(":"):
            return None  # the program's name; the beginning of a message
        arguments, text = self.usage(words[1])
        needs_file = arguments and not arguments[0].startswith("[")
        for word in words[2:]:
            if word.startswith("-") and not re.search(r"{}\b".format(re.escape(word.split("=")[0])), text):
                raise PageError(place, "`{}`: jounce {} has no {}".format(span, words[1], word))
        whole = [word for word in words[2:] if re.search(r"\.(json|abc|obj|ply|msh)$", word)] or words[1] == "completion"
        if not needs_file or (whole and words[2:3] and not words[2].startswith("-")):
            self.shell(place, shorten(span))
        return None

    def run(self):
        """Returns how many commands ran."""
        for block in self.page.blocks:
            self.block(block)
        for place, span in self.page.spans():
            if re.match(r"((build/)?jounce|sh|cmake|blender|python3) \S", span) and "..." not in span:
                self.mentioned(place, span.replace("build/jounce", "jounce", 1))
            match = re.match(r'"([a-z_]+)": .', span)
            if match and match.group(1) not in NOT_IN_SCENES:
                self.scene(place, span, None)
        self.check_pictures()
        return self.ran

    def made_pictures(self):
        """Names of the pictures in docs/pictures that a page of docs shows and its own commands draw."""
        shown = [target[len("pictures/"):] for _, target in self.page.links() if target.startswith("pictures/")]
        return [name for name in shown if os.path.exists(self.path(name))]

    def check_pictures(self):
        """The pictures in docs/pictures are of the size that the commands give them now."""
        for name in self.made_pictures():
            sizes = []
            for path in (self.path(name), os.path.join(self.source, "docs", "pictures", name)):
                with open(path, "rb") as file:
                    sizes.append(file.read(24)[16:])
            if sizes[0] != sizes[1]:
                raise PageError(self.page.name, "the command draws another {}: run docs/pictures/make.py".format(name))
