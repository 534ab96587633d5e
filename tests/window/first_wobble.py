"""The steps of docs/blender.md from install to playback, sentence by sentence, and who does what each says.

Page and tests cannot drift apart: a sentence of the page that is not here, or the other way round, fails them.
"""
import os
import re

# (sentence, name of the method that does it and looks at the result); "" for a remark that asks for nothing.
INSTALL = [
    ("Build the project; it leaves `build/jounce_blender-0.1.0.zip`.", ""),
    ("Everything that it needs is inside.", ""),
    ("In Blender: Edit > Preferences > Get Extensions, the arrow at the top right, Install from Disk, choose the zip.",
     "install"),
]
FIRST_WOBBLE = [
    ("Start with a new file.", ""),
    ("With the mouse over the 3D view, press `X` and `Enter`: the cube goes.", "delete_cube"),
    ("Press `Shift A`, type `monkey`, press `Enter`.", "add_monkey"),
    ("Press `Numpad .` to look at it closely.", "frame"),
    ("Press `Ctrl S` and save the file as `wobble.blend`.", "save"),
    ("The cache will be beside it, in the folder `jounce_cache`.", ""),
    ("Let it jump: press `I` for a key, click at frame 12 in the timeline, press `G` `X` `1` `Enter` over the 3D view, and `I` "
     "again.", "animate"),
    ("In the Properties editor, open the Physics tab and press **Add Jounce**.", "add_jounce"),
    ("It starts with a material that holds its shape at the size your mesh has.", ""),
    ("Press `Ctrl Tab` over the 3D view and choose Weight Paint.", "weight_paint"),
    ("Paint the top of the head until it is red: that follows the animation, the rest will wobble.", "paint"),
    ("Choose the group that you painted as **Pin Group**.", "choose_pins"),
    ("Press **Bake**.", "bake"),
    ("Orange wires show the frames as they are done, and you can look around meanwhile: drag with the middle mouse button.",
     "orbit"),
    ("Press `Esc` to stop: the finished frames are kept, and play.", "stop"),
    ("**Resume** goes on after them.", "resume"),
    ("Press `Space` over the 3D view to play.", "play"),
]


def page_sentences(source, heading):
    """The sentences of the numbered steps below a heading of docs/blender.md."""
    with open(os.path.join(source, "docs", "blender.md"), encoding="utf-8") as file:
        section = re.search(r"^## {}\n(.*?)^## ".format(re.escape(heading)), file.read(), re.M | re.S).group(1)
    steps = re.findall(r"^\d+\. (.*(?:\n   .*)*)", section, re.M)
    return [sentence for step in steps for sentence in re.split(r"(?<=\.) ", " ".join(step.split()))]


def check_page(source):
    for heading, steps in (("Install", INSTALL), ("Your first wobble", FIRST_WOBBLE)):
        found, known = page_sentences(source, heading), [sentence for sentence, _ in steps]
        assert found == known, "docs/blender.md, {}: {} here and there".format(heading, [
            sentence for sentence in found + known if sentence not in found or sentence not in known] or "another order")


def replay(steps, artist):
    """Does what the steps say by the methods of `artist`."""
    for sentence, name in steps:
        if name:
            print(sentence, flush=True)
            getattr(artist, name)()
