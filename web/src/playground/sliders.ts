/** Sliders over keys of the scenario: they write into its text, so that what one turns is what one reads. */

import { h, say } from "../view/dom";
import { grouped } from "../view/words";
import type { Control } from "./scenes";
import { readKey, writeKey } from "./toml";

export class Sliders {
  readonly element = h("div", { class: "sliders" });
  private readonly updates: ((text: string) => void)[] = [];

  constructor(controls: readonly Control[], text: () => string, changed: (text: string) => void) {
    for (const control of controls) this.element.append(this.slider(control, text, changed));
  }

  /** Moves the sliders to what the text says. */
  follow(text: string): void {
    for (const update of this.updates) update(text);
  }

  private slider(control: Control, text: () => string, changed: (text: string) => void): HTMLElement {
    const { key, label, values } = control;
    const output = h("output");
    const input = h("input", {
      type: "range",
      min: 0,
      max: values.length - 1,
      step: 1,
      "aria-label": label,
      title: key,
      oninput: () => {
        const value = values[Number(input.value)] as number | string;
        show(value);
        changed(writeKey(text(), key, value));
      },
    });
    const show = (value: number | string | boolean | undefined) => {
      say(output, worded(value, control.unit));
      input.setAttribute("aria-valuetext", output.textContent ?? "");
    };
    this.updates.push((source) => {
      const value = readKey(source, key);
      const place = nearest(values, value);
      if (place >= 0) input.value = String(place);
      show(value);
    });
    return h("label", {}, h("span", {}, label), input, output);
  }
}

function worded(value: number | string | boolean | undefined, unit: string | undefined): string {
  if (value === undefined) return "default";
  if (typeof value !== "number") return String(value);
  if (unit === "bit/s" && value >= 1e6) return `${value / 1e6} Mbit/s`;
  return unit ? `${grouped(value)} ${unit}` : grouped(value);
}

/** The place of a value, or of the number nearest to it; -1: nothing like it is there. */
function nearest(values: readonly (number | string)[], value: number | string | boolean | undefined): number {
  const exact = values.indexOf(value as number | string);
  if (exact >= 0 || typeof value !== "number") return exact;
  let [found, away] = [-1, Number.POSITIVE_INFINITY];
  for (const [place, one] of values.entries()) {
    if (typeof one === "number" && Math.abs(one - value) < away) [found, away] = [place, Math.abs(one - value)];
  }
  return found;
}
