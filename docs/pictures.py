"""Makes the pictures of docs/pictures: a report's page, and a trace. `pictures.py`; needs a browser (tests/browser.py).

Run by hand: they show programs of this page, and change when what they show does.
"""

import json
import sys
import tempfile
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests"))

import browser  # noqa: E402
import numpy as np  # noqa: E402
import treadle  # noqa: E402
from treadle import cuda, float32, void  # noqa: E402

TILE = 16


@cuda.jit
def matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    column, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for step in range(a.shape[1] // TILE):
        tile_a[ty, tx] = a[row, step * TILE + tx]
        tile_b[ty, tx] = b[step * TILE + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    c[row, column] = total


def record(path):
    """A trace of products on two streams, after a first launch."""
    a, b = (np.random.default_rng(seed).random((512, 512), np.float32) for seed in (1, 2))
    with treadle.trace(path):
        x, y, z = cuda.to_device(a), cuda.to_device(b), cuda.device_array((512, 512), np.float32)
        streams = [cuda.stream(), cuda.stream()]
        matmul[(32, 32), (TILE, TILE)](x, y, z)
        for stream in streams:
            for _ in range(2):
                matmul[(32, 32), (TILE, TILE), stream](x, y, z)
        z.copy_to_host()


COLORS = {"compile": "#c58af9", "launch": "#4c9aff", "run": "#36b37e", "copy": "#ffab00", "wait": "#c1c7d0",
          "memory": "#ff7452", "stream_wait": "#8993a4", "fill": "#ffc400", "callback": "#00b8d9"}  # fmt: skip
LEFT, WIDTH, ROW = 190, 1060, 22


class Drawing:
    """The tracks of a trace below each other, as viewers show them. SVG."""

    def __init__(self, events):
        self.events = [event for event in events if event["ph"] == "X"]
        self.arrows = events
        names = [event for event in events if event["name"] == "thread_name"]
        self.names = {(event["pid"], event["tid"]): event["args"]["name"] for event in names}
        first = min(event["ts"] for event in self.events)
        last = max(event["ts"] + event["dur"] for event in self.events)
        self.begin, self.scale = first, (WIDTH - 10) / (last - first)
        self.rows, self.height = self.placed()

    def placed(self):
        """{(process, thread, depth): top}, and the height of all."""
        depths = {}
        ends = {}
        for event in self.events:
            track = event["pid"], event["tid"]
            ends[track] = [end for end in ends.get(track, []) if end > event["ts"]]
            event["depth"] = len(ends[track])
            ends[track].append(event["ts"] + event["dur"])
            depths[track] = max(depths.get(track, 0), event["depth"] + 1)
        rows, top = {}, 10
        for track in sorted(depths):
            for depth in range(depths[track]):
                rows[(*track, depth)] = top
                top += ROW
            top += 8
        return rows, top

    def x(self, time):
        return LEFT + (time - self.begin) * self.scale

    def text(self):
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH}" height="{self.height}" '
                 'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>']  # fmt: skip
        for (process, thread, depth), top in self.rows.items():
            if depth == 0:
                where = "host: " if process == 1 else "device: "
                name = self.names[process, thread]
                parts.append(f'<text x="8" y="{top + 15}">{where}{escape(name[:24])}</text>')
        parts += map(self.span, self.events)
        parts += self.flows()
        return "\n".join([*parts, "</svg>"])

    def span(self, event):
        left, top = self.x(event["ts"]), self.rows[event["pid"], event["tid"], event["depth"]]
        width = max(event["dur"] * self.scale, 1)
        color = COLORS[event["cat"]]
        shape = f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{ROW - 3}" fill="{color}"/>'
        label = event["name"] if len(event["name"]) * 7 < width else ""
        return shape + (f'<text x="{left + 3:.1f}" y="{top + 14}">{escape(label)}</text>' if label else "")

    def flows(self):
        starts = {event["id"]: event for event in self.arrows if event["ph"] == "s"}
        for end in self.arrows:
            if end["ph"] == "f":
                start = starts[end["id"]]
                from_top = self.rows[start["pid"], start["tid"], 0] + ROW - 3
                to_top = self.rows[end["pid"], end["tid"], 0]
                left, right = self.x(start["ts"]), self.x(end["ts"])
                line = f"M{left:.1f} {from_top} L{right:.1f} {to_top}"
                yield f'<path d="{line}" stroke="#555" fill="none" stroke-width="0.8"/>'


def main():
    """Writes report.png and trace.png."""
    pictures = HERE / "pictures"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = folder / "report.html"
        record(folder / "trace.json")
        treadle.report(matmul, report, void(*[float32[:, ::1]] * 3), cc=(9, 0))
        line = matmul.py_func.__code__.co_firstlineno + 8
        text = report.read_text(encoding="utf-8")
        click = f"<script>document.querySelector('#source .line[data-line=\"{line}\"]').click();</script></body>"
        text = text.replace(f"{HERE.parent}/", "").replace("</body>", click)
        report.write_text(text, encoding="utf-8")
        browser.picture(report, pictures / "report.png", width=1080, height=960)
        drawing = Drawing(json.loads((folder / "trace.json").read_text())["traceEvents"])
        page = folder / "trace.html"
        page.write_text(f"<!DOCTYPE html><body style='margin:0'>{drawing.text()}</body>", encoding="utf-8")
        browser.picture(page, pictures / "trace.png", width=LEFT + WIDTH, height=drawing.height)
    for path in sorted(pictures.glob("*.png")):
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
