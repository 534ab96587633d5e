"""Draws docs/pictures/jaw.svg: how the jaw of sample_scenes/rattling_jaw swings against the skull, with small steps for
the jaw and without.

    python3 docs/pictures/jaw.py build      build: the folder of the build
"""
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SCENE = os.path.join(HERE, "..", "..", "sample_scenes", "rattling_jaw")
sys.path.insert(0, os.path.join(sys.argv[1], "python"))
from jounce import Bake  # noqa: E402

FRAMES = 40
# steps per frame, whether the jaw is fast, colour, name
CURVES = [(24, False, "#b0b0b0", "24 steps a frame for all"), (2, False, "#a8a040", "2 steps for all"),
          (5, False, "#d07030", "5 steps for all"), (2, True, "#2060b0", "2 steps, 24 for the jaw")]
WIDTH, HEIGHT, LEFT, MIDDLE = 640, 300, 60, 130


def read_mesh():
    with open(os.path.join(SCENE, "head.veg")) as file:
        rows = [line.split() for line in file]
    at, then = rows.index(["*VERTICES"]), rows.index(["*ELEMENTS"])
    return ([tuple(map(float, row[1:])) for row in rows[at + 2:then]],
            [[int(v) - 1 for v in row[1:]] for row in rows[then + 3:]])


def bake(points, tets, steps, fast):
    """Millimetres by which the tip of the jaw is nearer to the skull than at rest, frame by frame; and seconds."""
    with open(os.path.join(SCENE, "scene.json")) as file:
        scene = json.load(file)["bodies"][0]
    low, high = scene["weights"]["jaw"]["box"]
    jaw = [float(all(a <= x <= b for a, x, b in zip(low, point, high))) for point in points]
    regions = [dict(region, name="jaw", weights=jaw) for region in scene["regions"] if fast or region["effect"] != "fast"]
    body = {"name": "head", "tets": {"positions": points, "tet_vertices": tets}, "material": scene["material"],
            "regions": regions, "self_contact": 1, "transform": (1, 0, 0, 0, 0, 1, 0, 0.15, 0, 0, 1, 0)}
    ground = {"name": "ground", "kind": "plane", "normal": (0, 1, 0), "friction": 0.6}
    gaps, since = [], time.process_time()
    with Bake({"bodies": [body], "colliders": [ground], "frame_count": FRAMES, "fps": 24, "steps_per_frame": steps,
               "thread_count": 1}) as baking:
        for frame in baking.frames():
            baking.advance(frame)
            x = list(baking.positions())
            if not gaps:
                reach = max(x[0::3])
                tip = [p for p in range(len(x) // 3) if x[3 * p] > reach - 0.005]
                root = [p for p in range(len(x) // 3) if 0.08 < x[3 * p] < 0.1 and 0.26 < x[3 * p + 1] < 0.31]
            gaps.append(1e3 * (sum(x[3 * p + 1] for p in tip) / len(tip) - sum(x[3 * p + 1] for p in root) / len(root)))
    return [gap - gaps[0] for gap in gaps], time.process_time() - since


def main():
    points, tets = read_mesh()
    lines, largest = [], 0
    for steps, fast, colour, name in CURVES:
        gaps, seconds = bake(points, tets, steps, fast)
        late = gaps[-16:]
        print("{:26} {:6.2f} s, swings by {:.2f} mm in the last 16 frames".format(name, seconds, max(late) - min(late)))
        lines.append((gaps, colour, name))
        largest = max(largest, max(map(abs, gaps)))
    scale, step = (MIDDLE - 20) / largest, (WIDTH - LEFT - 20) / (FRAMES - 1)
    with open(os.path.join(HERE, "jaw.svg"), "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" '
                   'font-family="sans-serif" font-size="12">\n<rect width="{0}" height="{1}" fill="#fff"/>\n'
                   '<path d="M{2} {3}H{4}" stroke="#888"/>\n'.format(WIDTH, HEIGHT, LEFT, MIDDLE, WIDTH - 20))
        for number, (gaps, colour, name) in enumerate(lines):
            way = " ".join("{:.1f},{:.1f}".format(LEFT + step * k, MIDDLE - scale * gap) for k, gap in enumerate(gaps))
            file.write('<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>\n'.format(way, colour))
            file.write('<text x="{}" y="{}" fill="{}">{}</text>\n'.format(
                LEFT + 290 * (number % 2), HEIGHT - 34 + 18 * (number // 2), colour, name))
        for gap in (-int(largest), 0, int(largest)):
            file.write('<text x="8" y="{:.1f}" fill="#555">{} mm</text>\n'.format(MIDDLE - scale * gap + 4, gap))
        file.write("</svg>\n")


main()
