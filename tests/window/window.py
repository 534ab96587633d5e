"""A Blender in a window, used by mouse and keys (xdotool) and looked at by screenshots and by probe.py inside it.

Runs where run.sh has put it: with a screen, xdotool and ImageMagick.
"""
import glob
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PATIENCE_SECONDS = 120  # software draws slowly, on machines that do other things too
# Pixels between places at which buttons are looked for, and how far a turn of the wheel scrolls.
ROW, COLUMN, WHEEL_TURNS = 10, 60, 6


class Window:
    """A Blender process; close() ends it, whatever it does."""

    def __init__(self, pictures, home):
        """pictures: folder for the screenshots. home: Blender's own, kept from one start to the next."""
        self._pictures = pictures
        self._folder = tempfile.mkdtemp(prefix="window-")
        self._socket = os.path.join(self._folder, "socket")
        size = subprocess.run(["xdotool", "getdisplaygeometry"], check=True, capture_output=True, text=True).stdout
        self._height = int(size.split()[1])
        self._log = open(os.path.join(pictures, "blender.log"), "a")
        environment = dict(os.environ, JN_WINDOW_SOCKET=self._socket, BLENDER_USER_RESOURCES=home)
        words = ["blender", "--python", os.path.join(HERE, "probe.py")]
        self.process = subprocess.Popen(words, env=environment, stdout=self._log, stderr=subprocess.STDOUT)
        self.wait("return True", "Blender has started")

    def install_addon(self, build):
        """As the preferences do it, for tests of something else."""
        path, = glob.glob(os.path.join(build, "jounce_blender-*.zip"))
        self.ask("bpy.ops.extensions.package_install_files(filepath={!r}, repo='user_default', enable_on_install=True)".format(path))

    # what the test sees
    def ask(self, text):
        """What the function body gives inside Blender, see probe.py."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(PATIENCE_SECONDS)
            connection.connect(self._socket)
            with connection.makefile("rw") as line:
                line.write(json.dumps(text) + "\n")
                line.flush()
                reply = json.loads(line.readline())
        assert "error" not in reply, reply["error"]
        return reply["value"]

    def wait(self, text, what, seconds=PATIENCE_SECONDS):
        """Until ask(text) is true. Returns how many seconds that took."""
        start = time.monotonic()
        while time.monotonic() < start + seconds:
            assert self.process.poll() is None, "Blender has ended: see blender.log"
            try:
                if self.ask(text):
                    return time.monotonic() - start
            except OSError:
                pass  # it does not listen yet
            time.sleep(0.1)
        self.shot("waited")
        raise AssertionError("{}: waited {} s".format(what, seconds))

    def shot(self, name, place=None):
        """A picture of the screen, or of [x, y, width, height] from the window's lower left corner."""
        words = ["import", "-window", "root"]
        if place:
            x, y, width, height = place
            words += ["-crop", "{}x{}+{}+{}".format(width, height, x, self._height - y - height), "+repage"]
        subprocess.run([*words, os.path.join(self._pictures, name + ".png")], check=True)

    def _settle(self):
        """Until Blender has taken the last events and drawn what they changed."""
        for _ in range(2):
            self.ask("return None")

    # what the artist does
    def keys(self, *names):
        """One after the other, as xdotool names them: "ctrl+s"."""
        for name in names:
            subprocess.run(["xdotool", "key", name], check=True)
            self._settle()

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "60", text], check=True)
        self._settle()

    def move(self, x, y):
        subprocess.run(["xdotool", "mousemove", str(round(x)), str(round(self._height - y))], check=True)
        self._settle()

    def click(self, x, y, button=1):
        self.move(x, y)
        subprocess.run(["xdotool", "click", str(button)], check=True)
        self._settle()

    def drag(self, points, button=1):
        self.move(*points[0])
        subprocess.run(["xdotool", "mousedown", str(button)], check=True)
        for point in points[1:]:
            self.move(*point)
        subprocess.run(["xdotool", "mouseup", str(button)], check=True)
        self._settle()

    def hover(self, kind, region_kind="WINDOW"):
        """The mouse rests in the middle of an editor, which then gets the keys."""
        x, y, width, height = self.ask("return places({!r}, {!r})".format(kind, region_kind))
        self.move(x + width / 2, y + height / 2)

    def find(self, wanted, kind="PROPERTIES", region_kind="WINDOW"):
        """Looks down the editor, scrolling, for the button whose operator or property has `wanted` in its name. (x, y)"""
        question = "return under_mouse({!r}, {!r})".format(kind, region_kind)
        x, y, width, height = self.ask("return places({!r}, {!r})".format(kind, region_kind))
        self.move(x + width / 2, y + height / 2)
        subprocess.run(["xdotool", "click", "--repeat", "40", "--delay", "20", "4"], check=True)
        seen = None
        while True:
            found = []
            for down in range(ROW, height, ROW):
                for across in (0.75, 0.3):
                    place = (x + across * width, y + height - down)
                    self.move(*place)
                    answer = self.ask(question)
                    if wanted in answer:
                        return place
                    found.append(answer)
            assert found != seen, "{} is not in the {} editor".format(wanted, kind)
            seen = found
            subprocess.run(["xdotool", "click", "--repeat", str(WHEEL_TURNS), "--delay", "20", "5"], check=True)
            self._settle()

    def choose(self, text):
        """The entry of the menu that is open."""
        self.keys("space")
        self.type(text)
        self.keys("Return")

    def fill(self, x, y, text):
        """Types into a text field."""
        self.click(x, y)
        self.click(x, y)
        self.keys("ctrl+a")
        self.type(text)
        self.keys("Return")

    def choose_file(self, path):
        """In the file browser that is open: folder, name, and the button at the lower right."""
        self.wait("return bool(areas('FILE_BROWSER'))", "the file browser opens")
        x, y, width, height = self.ask("return places('FILE_BROWSER', 'UI')")
        self.fill(x + 0.4 * width, y + height / 2, os.path.dirname(path) + "/")
        x, y, width, height = self.ask("return places('FILE_BROWSER', 'EXECUTE')")
        self.fill(x + 0.3 * width, y + height / 2, os.path.basename(path))
        self.shot("file_browser")
        self.click(x + width - 60, y + height / 2)
        self.wait("return not areas('FILE_BROWSER')", "the file browser closes")

    def click_down(self, kind, region_kind, question, across=0.5):
        """Clicks down a column of buttons until what is asked inside Blender is true."""
        x, y, width, height = self.ask("return places({!r}, {!r})".format(kind, region_kind))
        for down in range(ROW, height, ROW):
            if self.ask(question):
                return
            self.click(x + across * width, y + height - down)
        assert self.ask(question), "{} {}: {}".format(kind, region_kind, question)

    def press(self, wanted, kind="PROPERTIES", region_kind="WINDOW"):
        self.click(*self.find(wanted, kind, region_kind))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._log.close()
        shutil.rmtree(self._folder, ignore_errors=True)
