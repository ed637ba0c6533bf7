"""A picture that can be zoomed and shows what is under the pointer: SVG alone, or in a page of its own.

Marks stand in a plot whose coordinates are the data's; the plot fills whatever width there is, so that the same picture
fits a phone, a notebook and a wall. Without a script, as in a plain SVG, it shows everything, and the text of the mark
under the pointer; in a page of its own the wheel zooms, dragging moves, and a double click shows everything again.
"""

from __future__ import annotations

import html
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hopscope.errors import InputError, printable
from hopscope.io.files import make_folder, not_written, write_whole

#: Endings of files that a picture can be written to.
FORMS = (".html", ".svg")

#: Colours by name, for light and for dark surroundings.
COLOURS = {
    "ink": ("#222222", "#dddddd"), "faint": ("#e3e3e3", "#3a3a3a"), "back": ("#ffffff", "#16181c"),
    "blue": ("#1f6fb4", "#5aa9e6"), "green": ("#2b8a3e", "#63c174"), "orange": ("#d9730d", "#f0a04b"),
    "purple": ("#7b4fb5", "#b794f0"), "red": ("#d0342c", "#ff6b63"), "grey": ("#9a9a9a", "#7d7d7d"),
    "amber": ("#e0b100", "#e8c547"), "pale": ("#a9c9e8", "#34506b"),
}  # fmt: skip

# About so many numbers along x and along y.
_ALONG_X, _ALONG_Y = 8, 5
_LEGEND_WIDTH, _LEGEND_ROW = 168, 20
# Nearer to an edge than so many per cent, a number stands inside it.
_EDGE = 3
# What floating point leaves of a whole number.
_ROUNDING = 1e-6


def _escaped(text: str) -> str:
    """Text for markup, without characters that control a terminal or turn the direction of writing."""
    return html.escape(printable(text))


@dataclass
class Picture:
    """A plot with its legend and axes.

    Attributes:
        title: what stands above it.
        box: of the data: x, y (downwards), width, height.
        height: of the plot in pixels.
        unit: of the numbers along x in the axis.
        offset: what x = 0 means, in that unit; an axis shows ``offset + x * scale``.
        scale: unit of the axis for one of the data.
        both: zooming changes both axes, not x alone.
        legend: colour and meaning.
        labels: text at a height in pixels, left.
        rules: horizontal lines, at heights in pixels.
        marks: the SVG of the marks.
        rising: y of the data with what it is called, for an axis that counts upwards; none.
    """

    title: str
    box: tuple[float, float, float, float]
    height: int
    unit: str
    offset: float = 0.0
    scale: float = 1.0
    both: bool = False
    legend: Sequence[tuple[str, str]] = ()
    labels: list[tuple[float, str]] = field(default_factory=list)
    rules: list[float] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    rising: str = ""

    def bar(self, colour: str, x: float, y: float, width: float, height: float, reported: str, kind: str = "") -> None:
        """Adds a bar; ``reported`` is shown under the pointer, ``kind`` is "hollow" or empty."""
        style = f' class="{kind}"' if kind else ""
        self.marks.append(
            f'<rect x="{x:.3f}" y="{y:.6g}" width="{max(width, 0):.3f}" height="{height:.6g}" fill="var(--{colour})" '
            f'stroke="var(--{colour})"{style}><title>{_escaped(reported)}</title></rect>'
        )

    def line(self, colour: str, points: Sequence[tuple[float, float]], reported: str = "", width: float = 1.5) -> None:
        """Adds a line through points."""
        path = "M" + "L".join(f"{x:.3f} {y:.6g}" for x, y in points)
        title = f"<title>{_escaped(reported)}</title>" if reported else ""
        self.marks.append(
            f'<path d="{path}" fill="none" stroke="var(--{colour})" stroke-width="{width}">{title}</path>'
        )

    def svg(self) -> str:
        """Returns the picture as SVG."""
        return self._svg("hopscope-picture", 1100)

    def part(self, name: str, *, alone: bool = False) -> str:
        """Returns the picture as a part of a page; ``name`` is its own there.

        Where it is not alone the wheel belongs to the page, and zooms with the control key held alone.
        """
        script = _SCRIPT.replace("NAME", name).replace("BOTH", "true" if self.both else "false")
        script = script.replace("ALONE", "true" if alone else "false")
        script = script.replace("ALONG_X", str(_ALONG_X)).replace("ALONG_Y", str(_ALONG_Y))
        return f'<div style="width:100%">{self._svg(name, None)}</div><script>{script}</script>'

    def html(self) -> str:
        """Returns a page with the picture."""
        title = _escaped(self.title)
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title><style>body {{ margin: 0.5rem; background: #ffffff }} "
            "@media (prefers-color-scheme: dark) { body { background: #16181c } }</style></head><body>"
            f"{self.part(_name(), alone=True)}</body></html>\n"
        )

    def write(self, path: str | Path) -> None:
        """Writes a file, ``.html`` or ``.svg`` by its ending.

        Raises:
            InputError: another ending, or the place cannot be written.
            RunFailed: the disk is full.
        """
        path = Path(path)
        check(path)
        text = self.html() if path.suffix.lower() == ".html" else self.svg()
        try:
            make_folder(path.parent)
            write_whole(path, text.encode())
        except OSError as error:
            raise not_written(f"{path}: cannot be written", error) from error

    def _repr_html_(self) -> str:
        return self.part(_name())

    def _ticks(self, top: int, bottom: int) -> str:
        """The numbers of the axes, each at its place; those along x with a line."""
        x, y, w, h = self.box
        low, high = self.offset + x * self.scale, self.offset + (x + w) * self.scale
        numbers, digits = round_numbers(low, high, _ALONG_X)
        found = []
        for number in numbers:
            at = 100 * (number - low) / (high - low)
            anchor = "start" if at < _EDGE else "end" if at > 100 - _EDGE else "middle"
            found.append(
                f'<line class="grid" x1="{at:.4f}%" x2="{at:.4f}%" y1="{top}" y2="{bottom}"/>'
                f'<text x="{at:.4f}%" y="{bottom + 18}" text-anchor="{anchor}">{number:.{digits}f}</text>'
            )
        if self.rising:
            numbers, digits = round_numbers(-y - h, -y, _ALONG_Y)
            for number in numbers:
                word = f" {_escaped(self.rising)}" if number == numbers[-1] else ""
                place = min(bottom - 3, max(top + 11, top + self.height * (-y - number) / h + 4))
                found.append(f'<text class="rise" x="4" y="{place:.1f}">{number:,.{digits}f}{word}</text>')
        return "".join(found)

    def _svg(self, name: str, width: int | None) -> str:
        columns = 2 if width is None else max(1, (width - 8) // _LEGEND_WIDTH)
        rows = -(-len(self.legend) // columns)
        top = 30 + rows * _LEGEND_ROW + 22
        bottom = top + self.height
        x, y, w, h = self.box
        legend = "".join(
            f'<rect x="{8 + place % columns * _LEGEND_WIDTH}" y="{32 + place // columns * _LEGEND_ROW}" width="12" '
            f'height="12" fill="var(--{colour})"/><text x="{25 + place % columns * _LEGEND_WIDTH}" '
            f'y="{42 + place // columns * _LEGEND_ROW}">{_escaped(text)}</text>'
            for place, (colour, text) in enumerate(self.legend)
        )
        ticks = self._ticks(top, bottom)
        rules = "".join(f'<line class="grid" x1="0" x2="100%" y1="{top + at}" y2="{top + at}"/>' for at in self.rules)
        labels = "".join(f'<text class="row" x="4" y="{top + at}">{_escaped(text)}</text>' for at, text in self.labels)
        light = ";".join(f"--{key}:{value[0]}" for key, value in COLOURS.items())
        dark = ";".join(f"--{key}:{value[1]}" for key, value in COLOURS.items())
        size = f'width="{width}"' if width else 'width="100%"'
        return (
            f'<svg id="{name}" xmlns="http://www.w3.org/2000/svg" {size} height="{bottom + 30}" role="img" '
            f'data-offset="{self.offset!r}" data-scale="{self.scale!r}" data-rising="{_escaped(self.rising)}">'
            f"<style>#{name}{{{light};background:var(--back);font:12px sans-serif}}"
            f"@media(prefers-color-scheme:dark){{#{name}{{{dark}}}}}"
            f"#{name} text{{fill:var(--ink)}}#{name} .grid{{stroke:var(--faint)}}#{name} .title{{font-weight:bold}}"
            f"#{name} .plot *{{vector-effect:non-scaling-stroke}}#{name} .plot rect{{stroke-width:0.6}}"
            f"#{name} .plot .hollow{{fill-opacity:0.25}}#{name} .plot .thin{{stroke-width:1.8}}"
            f"#{name} .row,#{name} .rise{{paint-order:stroke;stroke:var(--back);stroke-width:3px}}"
            f"</style><title>{_escaped(self.title)}</title>"
            f'<text class="title" x="8" y="20">{_escaped(self.title)}</text>{legend}{rules}<g class="ticks">{ticks}</g>'
            f'<text class="unit" x="100%" dx="-4" y="{top - 6}" text-anchor="end">{_escaped(self.unit)}</text>'
            f'<svg class="plot" x="0" y="{top}" width="100%" height="{self.height}" '
            f'viewBox="{x:.3f} {y:.6g} {w:.3f} {h:.6g}" preserveAspectRatio="none">{"".join(self.marks)}</svg>'
            f"{labels}</svg>"
        )


def round_numbers(low: float, high: float, about: int) -> tuple[list[float], int]:
    """Returns about so many multiples of 1, 2 or 5 times a power of ten from low to high, and the digits they need."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - _ROUNDING))
    first, last = math.ceil(low / step - _ROUNDING), math.floor(high / step + _ROUNDING)
    return [n * step for n in range(first, last + 1)], max(0, -math.floor(math.log10(step) + _ROUNDING))


def _name() -> str:
    return f"hopscope-{secrets.token_hex(4)}"


def check(path: Path) -> None:
    """Refuses what names no picture.

    Raises:
        InputError: the ending is that of no form.
    """
    if path.suffix.lower() not in FORMS:
        raise InputError(f"{path}: the ending names the format; allowed: {', '.join(FORMS)}")


#: Zooming with the wheel (in a larger page with the control key) or two fingers, moving by dragging, everything again
#: by a double click.
_SCRIPT = """
(function () {
  const root = document.getElementById("NAME"), plot = root.querySelector(".plot");
  const axis = root.querySelector(".ticks"), both = BOTH, alone = ALONE;
  const all = plot.getAttribute("viewBox").split(" ").map(Number);
  const offset = Number(root.dataset.offset), scale = Number(root.dataset.scale);
  let box = all.slice();
  const pointers = new Map();
  function show() {
    box[2] = Math.min(box[2], all[2]); box[3] = Math.min(box[3], all[3]);
    for (const i of [0, 1]) box[i] = Math.max(all[i], Math.min(box[i], all[i] + all[i + 2] - box[i + 2]));
    plot.setAttribute("viewBox", box.join(" "));
    draw();
  }
  function round(low, high, about) {
    const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find(factor => power * factor >= rough * (1 - 1e-6));
    const found = [];
    for (let n = Math.ceil(low / step - 1e-6); n <= high / step + 1e-6; n++) found.push(n * step);
    return [found, Math.max(0, -Math.floor(Math.log10(step) + 1e-6))];
  }
  function add(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text || "";
    axis.append(made);
  }
  function draw() {
    const top = Number(plot.getAttribute("y")), height = Number(plot.getAttribute("height")), bottom = top + height;
    const low = offset + box[0] * scale, high = low + box[2] * scale, [along, digits] = round(low, high, ALONG_X);
    axis.replaceChildren();
    for (const number of along) {
      const at = 100 * (number - low) / (high - low), x = at + "%";
      const anchor = at < 3 ? "start" : at > 97 ? "end" : "middle";
      add("line", { class: "grid", x1: x, x2: x, y1: top, y2: bottom });
      add("text", { x: x, y: bottom + 18, "text-anchor": anchor }, number.toFixed(Math.min(digits, 12)));
    }
    if (!root.dataset.rising) return;
    const [up, places] = round(-box[1] - box[3], -box[1], ALONG_Y);
    up.forEach((number, i) => {
      const y = Math.min(bottom - 3, Math.max(top + 11, top + height * (-box[1] - number) / box[3] + 4));
      const text = number.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
      add("text", { class: "rise", x: 4, y: y }, text + (i === up.length - 1 ? " " + root.dataset.rising : ""));
    });
  }
  // The rectangle of the plot itself grows with what lies beyond its edges.
  function place() {
    const whole = root.getBoundingClientRect();
    return { left: whole.left, width: whole.width, top: whole.top + Number(plot.getAttribute("y")),
      height: Number(plot.getAttribute("height")) };
  }
  function zoom(factor, x, y) {
    const area = place();
    const fx = (x - area.left) / area.width, fy = (y - area.top) / area.height;
    const w = Math.min(all[2], Math.max(all[2] * 1e-6, box[2] * factor));
    box[0] += (box[2] - w) * fx; box[2] = w;
    if (both) { const h = Math.min(all[3], box[3] * factor); box[1] += (box[3] - h) * fy; box[3] = h; }
    show();
  }
  root.style.touchAction = "pan-y";
  root.style.userSelect = root.style.webkitUserSelect = "none";
  root.addEventListener("wheel", e => {
    if (!alone && !e.ctrlKey) return;
    e.preventDefault();
    zoom(Math.exp(e.deltaY * 0.002), e.clientX, e.clientY);
  }, { passive: false });
  root.addEventListener("dblclick", () => { box = all.slice(); show(); });
  root.addEventListener("pointerdown", e => { pointers.set(e.pointerId, e); });
  for (const end of ["pointerup", "pointercancel", "pointerleave"])
    root.addEventListener(end, e => pointers.delete(e.pointerId));
  root.addEventListener("pointermove", e => {
    const old = pointers.get(e.pointerId);
    if (!old) return;
    const area = place();
    if (pointers.size === 1) {
      box[0] -= (e.clientX - old.clientX) / area.width * box[2];
      if (both) box[1] -= (e.clientY - old.clientY) / area.height * box[3];
      show();
    } else {
      const other = [...pointers.values()].find(p => p.pointerId !== e.pointerId);
      const before = Math.abs(old.clientX - other.clientX), after = Math.abs(e.clientX - other.clientX);
      if (before > 4 && after > 4) zoom(before / after, (e.clientX + other.clientX) / 2, e.clientY);
    }
    pointers.set(e.pointerId, e);
  });
})();
"""
