"""jounce show: movies, and what is drawn over a cache or before a bake.

Run by CTest as `test_cli_show.py <jounce> <source folder> <assets folder> [Class.test]`.
"""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import zlib

from test_cli import CANCELLED, DONE, FILE, INPUT, JOUNCE, SCENE, USAGE, CommandTest, read_png, run_tests

PACK_BYTES = os.path.join(os.path.dirname(JOUNCE), "tests", "pack_bytes")


def chunks(data):
    """Names and bodies of a PNG's chunks; their checksums are right."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at = 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(name + body), name
        yield name, body
        at += length + 12


def read_movie(path):
    """The pictures of an animated PNG as lists of rows of pixels, composed by its rules, and the delay of each."""
    with open(path, "rb") as file:
        data = file.read()
    colours, opacities, seen, control, number = [], [], None, None, 0
    pictures, delays, names = [], [], []
    for name, body in chunks(data):
        names.append(name)
        if name == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and kind == 3
        elif name == b"acTL":
            count, plays = struct.unpack(">II", body)
            assert plays == 0
        elif name == b"PLTE":
            colours = [body[i:i + 3] for i in range(0, len(body), 3)]
        elif name == b"tRNS":
            opacities = list(body)
        elif name == b"fcTL":
            control = struct.unpack(">IIIIIHHBB", body)
            assert control[0] == number and control[7] == 0, "in order, and what is seen stays"
            number += 1
            delays.append(control[5] / control[6])
        elif name in (b"IDAT", b"fdAT"):
            if name == b"fdAT":
                assert struct.unpack(">I", body[:4])[0] == number
                number += 1
                body = body[4:]
            _, wide, high, left, top = control[:5]
            assert left + wide <= width and top + high <= height and (name == b"fdAT" or (wide, high) == (width, height))
            raw = zlib.decompress(body)
            assert len(raw) == high * (wide + 1)
            seen = [row[:] for row in seen] if seen else [[None] * width for _ in range(height)]
            for y in range(high):
                row = raw[y * (wide + 1):(y + 1) * (wide + 1)]
                assert row[0] == 0
                for x, index in enumerate(row[1:]):
                    if opacities[index]:
                        seen[top + y][left + x] = colours[index]
            pictures.append(seen)
    assert len(pictures) == count == len(delays) and names[-1] == b"IEND"
    assert all(pixel is not None for row in pictures[0] for pixel in row)
    return pictures, delays


def differences(a, b):
    """The largest difference of a channel, of each pixel of two pictures."""
    return [max(abs(p - q) for p, q in zip(first, second))
            for rows in zip(a, b) for first, second in zip(*rows)]


class ShowTest(CommandTest):
    """A bar that swings over the ground, pinned at its start, which is lifted."""
    FRAMES = 6

    def write_scene(self, name="scene.json", keys=True, colliders=True, cells=(24, 5, 5)):
        scene = json.loads(json.dumps(SCENE))
        scene["frames"]["count"] = self.FRAMES
        body = scene["bodies"][0]
        body["mesh"]["cells"] = cells
        body["weights"]["tip"] = {"ramp": [[0.5, 0, 0], [1, 0, 0]]}
        if keys:
            body["animation"] = {"keys": [{"frame": 1}, {"frame": self.FRAMES, "translate": [0, 0.5, 0]}]}
        if not colliders:
            del scene["colliders"]
        with open(self.path(name), "w") as file:
            json.dump(scene, file)
        return name

    def bake(self, **more):
        self.run_jounce("bake", self.write_scene(**more), "--quiet")
        return "scene.abc"

    def pixels(self, *words):
        self.run_jounce("show", *words, "-o", "drawn.png", "--size", "64,48")
        return [pixel for row in read_png(self.path("drawn.png"))[2] for pixel in row]

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if name != "leaks")


class Movies(ShowTest):
    def test_movie_shows_each_frame_as_the_strip_does(self):
        cache, frames = self.bake(), ",".join(str(frame + 1) for frame in range(self.FRAMES))
        said = self.run_json("show", cache, "--movie", "-o", "movie.png", "--size", "64,48")[0]
        self.assertEqual((said["width"], said["height"], said["frames_per_second"]), (64, 48, 24))
        self.assertEqual(said["frames"], [1, 2, 3, 4, 5, 6])
        self.run_jounce("show", cache, "-o", "strip.png", "--size", "64,48", "--frames", frames, "--columns", "6")
        pictures, delays = read_movie(self.path("movie.png"))
        self.assertEqual(len(pictures), self.FRAMES)
        for delay in delays:
            self.assertAlmostEqual(delay, 1 / 24, places=9)
        rows = read_png(self.path("strip.png"))[2]
        moved = differences(pictures[0], pictures[-1])
        self.assertGreater(sum(moved) / len(moved), 2, "the bar moves")
        for index, picture in enumerate(pictures):
            left = 8 + index * (64 + 8)
            still = [row[left:left + 64] for row in rows[8:8 + 48]]
            # the corners of the strip are round
            apart = differences([row[9:-9] for row in picture], [row[9:-9] for row in still])
            self.assertLess(sum(apart) / len(apart), 2)
            self.assertLess(sum(difference > 8 for difference in apart), 0.02 * len(apart))

    def test_movie_is_the_same_bytes_again(self):
        cache = self.bake()
        for name in ("a.png", "b.png"):
            self.run_jounce("show", cache, "--movie", "-o", name, "--size", "48,32")
        self.assertTrue(self.read_bytes("a.png") == self.read_bytes("b.png"))

    def test_movie_of_some_frames(self):
        cache = self.bake()
        said = self.run_json("show", cache, "--movie", "--frames", "2,5", "-o", "m.png", "--size", "32,24")[0]
        self.assertEqual(said["frames"], [2, 3, 4, 5])
        said = self.run_json("show", cache, "--movie", "--count", "3", "-o", "m.png", "--size", "32,24")[0]
        self.assertEqual(said["frames"], [1, 3.5, 6])
        self.assertAlmostEqual(said["frames_per_second"], 24 / 2.5)
        for delay in read_movie(self.path("m.png"))[1]:
            self.assertAlmostEqual(delay, 2.5 / 24, places=5)
        self.assertIn("first and the last", self.run_jounce("show", cache, "--movie", "--frames", "2", code=USAGE).stderr)
        self.assertIn("two frames", self.run_jounce("show", cache, "--movie", "--frames", "2,2", code=USAGE).stderr)
        self.assertIn("holds frames 1 to 6",
                      self.run_jounce("show", cache, "--movie", "--frames", "2,9", code=USAGE).stderr)

    def test_movie_that_is_stopped_leaves_what_was_there(self):
        cache = self.bake()
        with open(self.path("movie.png"), "w") as file:
            file.write("before")
        for number, code in ((signal.SIGINT, CANCELLED), (signal.SIGTERM, CANCELLED), (signal.SIGKILL, -signal.SIGKILL)):
            show = subprocess.Popen([JOUNCE, "show", cache, "--movie", "-o", "movie.png", "--size", "240,180"],
                                    cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
            while not os.path.exists(self.path("movie.unfinished.png")) and show.poll() is None:
                time.sleep(0.01)
            show.send_signal(number)
            said = show.communicate(timeout=120)[1]
            self.assertEqual(show.returncode, code, said)
            self.assertEqual(self.read_bytes("movie.png"), b"before")
            if code == CANCELLED:
                self.assertIn("no movie was written", said)
                self.assertNotIn("movie.unfinished.png", self.files())

    def test_full_disk_leaves_what_was_there(self):
        cache = self.bake()
        for words in (["--movie"], ["--count", "3"]):
            with open(self.path("out.png"), "w") as file:
                file.write("before")
            limit = "ulimit -f 4; trap '' XFSZ; exec \"$@\""
            show = subprocess.run(["bash", "-c", limit, "-", JOUNCE, "show", cache, "-o", "out.png", "--size", "200,150",
                                   *words], cwd=self.folder, env=self.environment, capture_output=True, text=True)
            self.assertEqual(show.returncode, FILE, show.stderr)
            self.assertIn("cannot write out.png", show.stderr)
            self.assertEqual(self.read_bytes("out.png"), b"before")
            self.assertNotIn("out.unfinished.png", self.files())


class Videos(ShowTest):
    def with_ffmpeg(self, script):
        """Only this program is found as ffmpeg; None: none is."""
        os.mkdir(self.path("bin"))
        if script:
            with open(self.path("bin/ffmpeg"), "w") as file:
                file.write("#!/bin/sh\n" + script)
            os.chmod(self.path("bin/ffmpeg"), 0o755)
        self.environment["PATH"] = self.path("bin")

    def test_video_without_ffmpeg_names_the_remedy(self):
        cache = self.bake()
        self.with_ffmpeg(None)
        said = self.run_jounce("show", cache, "-o", "a.mp4", "--size", "32,24", code=FILE).stderr
        self.assertIn("ffmpeg, which is not installed: install it, or name a .png", said)
        self.assertEqual(self.files(), ["bin", "scene.abc", "scene.json"])

    def test_video_that_ffmpeg_refuses_leaves_what_was_there(self):
        cache = self.bake()
        self.with_ffmpeg("echo no such encoder >&2; exit 1\n")
        with open(self.path("a.mp4"), "w") as file:
            file.write("before")
        said = self.run_jounce("show", cache, "-o", "a.mp4", "--size", "300,200", code=FILE).stderr
        self.assertIn("no such encoder", said)
        self.assertIn("ffmpeg could not write a.mp4", said)
        self.assertEqual(self.read_bytes("a.mp4"), b"before")

    def test_video_has_every_frame(self):
        if not shutil.which("ffmpeg"):
            self.skipTest("ffmpeg is not installed")
        cache = self.bake()
        self.run_jounce("show", cache, "-o", "a.mp4", "--size", "65,47")
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", self.path("a.mp4"), "-f", "rawvideo", "-pix_fmt", "rgb24",
                              "-"], stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(len(raw), self.FRAMES * 66 * 48 * 3)
        self.assertEqual(self.files(), ["a.mp4", "scene.abc", "scene.json"])


class Overlays(ShowTest):
    def test_map_colours_the_bodies_by_their_weights(self):
        plain, painted = self.pixels(self.bake(), "--frames", "1"), self.pixels("scene.abc", "--frames", "1", "--map", "tip")
        yellow = [red > 120 and green > 100 and blue < 110 for red, green, blue in painted]
        blue = [blue > red + 25 and blue > green + 15 for red, green, blue in painted]
        self.assertGreater(sum(yellow), 20)
        self.assertGreater(sum(blue), 20)
        self.assertFalse(any(blue > red + 25 and blue > green + 15 for red, green, blue in plain))

    def test_ghost_simulation_mesh_and_colliders_are_drawn_where_asked_for(self):
        last = ["--frames", str(self.FRAMES)]
        plain = self.pixels(self.bake(), *last)
        for option in ("--ghost", "--simulation", "--colliders"):
            drawn = self.pixels("scene.abc", *last, option)
            changed = sum(p != q for p, q in zip(plain, drawn))
            self.assertGreater(changed, 50, option)

    def test_scene_is_drawn_before_its_bake(self):
        scene = self.write_scene()
        said = self.run_json("show", scene, "--size", "64,48", "--simulation", "--colliders", "--map", "clamp")[0]
        self.assertEqual((said["output"], said["frames"]), ("scene.png", [1, 2, 3, 4, 5, 6]))
        said = self.run_json("show", scene, "--movie", "--size", "64,48", "-o", "keys.png")[0]
        self.assertEqual(len(read_movie(self.path("keys.png"))[0]), self.FRAMES)
        still = self.write_scene("still.json", keys=False)
        self.assertEqual(self.run_json("show", still, "--size", "64,48")[0]["frames"], [1])
        self.assertIn("nothing moves", self.run_jounce("show", still, "--movie", code=USAGE).stderr)

    def test_scene_is_found_by_name_or_given(self):
        self.bake()
        os.rename(self.path("scene.abc"), self.path("other.abc"))
        said = self.run_jounce("show", "other.abc", "--colliders", code=USAGE).stderr
        self.assertIn("--colliders needs the scene that other.abc was baked from, and there is no other.json", said)
        self.run_jounce("show", "other.abc", "--colliders", "--scene", "scene.json", "--size", "32,24", "--count", "2")
        self.write_scene("coarse.json", cells=[6, 2, 2])
        said = self.run_jounce("show", "other.abc", "--colliders", "--scene", "coarse.json", code=INPUT).stderr
        self.assertRegex(said, "other.abc was not baked from this scene: its body 'bar' has [0-9]+ vertices")

    def test_what_the_scene_lacks_is_said(self):
        self.bake(keys=False, colliders=False)
        self.assertIn("no colliders", self.run_jounce("show", "scene.abc", "--colliders", code=INPUT).stderr)
        self.assertIn("no body of the scene is animated", self.run_jounce("show", "scene.abc", "--ghost", code=INPUT).stderr)
        self.assertIn("'tail'; there are: clamp, tip", self.run_jounce("show", "scene.abc", "--map", "tail", code=USAGE).stderr)
        self.assertIn("--ghost is for caches", self.run_jounce("show", "scene.json", "--ghost", code=USAGE).stderr)
        self.assertIn("is a scene already", self.run_jounce("show", "scene.json", "--scene", "scene.json", code=USAGE).stderr)
        self.assertEqual(self.files(), ["scene.abc", "scene.json"])

    def test_scene_with_z_up_is_drawn_upright(self):
        upright = self.pixels(self.bake(keys=False), "--frames", "1", "--simulation", "--colliders")
        scene = json.loads(self.read_bytes("scene.json"))
        scene["units"] = {"up_axis": "z"}
        scene["bodies"][0]["transform"] = {"rotate": [90, 0, 0], "translate": [0, 0, 1]}
        with open(self.path("scene.json"), "w") as file:
            json.dump(scene, file)
        self.run_jounce("bake", "scene.json", "--quiet")
        turned = self.pixels("scene.abc", "--frames", "1", "--simulation", "--colliders")
        apart = [max(abs(a - b) for a, b in zip(p, q)) for p, q in zip(upright, turned)]
        self.assertLess(sum(difference > 12 for difference in apart), 0.02 * len(apart))


class Faces(ShowTest):
    def test_concave_face_is_drawn_as_its_triangles_are(self):
        """The front of a C of one face, which starts at a corner whose fan would cover the opening."""
        outline = [(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (4, 3), (4, 4), (0, 4)]
        start = 4
        face = [(start + i) % 8 for i in range(8)]
        pieces = [(0, 1, 2, 3), (0, 3, 4, 7), (4, 5, 6, 7)]
        pictures = []
        for name, front in (("face", [face]), ("pieces", pieces)):
            with open(self.path(name + ".obj"), "w") as file:
                for z in (1, 0):
                    file.writelines("v %g %g %g\n" % (x, y, z) for x, y in outline)
                sides = [(i, i + 8, (i + 1) % 8 + 8, (i + 1) % 8) for i in range(8)]
                backs = [tuple(8 + i for i in reversed(corners)) for corners in front]
                for corners in list(front) + backs + sides:
                    file.write("f %s\n" % " ".join(str(i + 1) for i in corners))
            scene = {"jounce": 1, "frames": {"count": 1}, "bodies": [{"name": "c", "mesh": name + ".obj"}]}
            with open(self.path(name + ".json"), "w") as file:
                json.dump(scene, file)
            pictures.append(self.pixels(name + ".json", "--view", "0,0,1"))
        different = sum(max(abs(p - q) for p, q in zip(*pair)) > 16 for pair in zip(*pictures))
        self.assertLess(different, 0.01 * len(pictures[0]))


class Packing(CommandTest):
    def test_any_bytes_come_back_from_zlib(self):
        chance = random.Random(7)
        cases = [b"", b"a", b"ab" * 70000, bytes(100000), chance.randbytes(70000), bytes(range(256)) * 300,
                 bytes(min(255, int(chance.expovariate(0.02))) for _ in range(90000)),
                 b"".join(bytes([i]) * (1 << min(i, 15)) for i in range(26)),  # counts that ask for codes too long
                 b"".join(chance.choice((b"abc", b"abcd", b"x" * 258, chance.randbytes(9))) for _ in range(9000))]
        for case in cases:
            packed = subprocess.run([PACK_BYTES], input=case, stdout=subprocess.PIPE, check=True).stdout
            self.assertTrue(zlib.decompress(packed) == case)
            self.assertLess(len(packed), 1.03 * len(zlib.compress(case, 9)) + 60)


if __name__ == "__main__":
    run_tests()
