/** The controls below a figure: which values are run, with which keys and seeds. */

import type { Figure, PlainKey, Scenario, SweptKey } from "./data";
import { axesOf, beginning, isTypeable, setting, type Typed, typed, type Wanted } from "./plan";

type Reader = () => unknown;

/** An element with its attributes; a text is a text, never markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Partial<HTMLElementTagNameMap[Tag]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

/** The form of a figure. */
export class Controls {
  readonly element: HTMLElement;
  #scenario: Scenario;
  #values = new Map<string, HTMLSelectElement>();
  #typed: { key: SweptKey; input: HTMLInputElement }[] = [];
  #plain = new Map<string, { key: PlainKey; read: Reader }>();
  #duration: HTMLInputElement | null = null;
  #other: HTMLInputElement;
  #seed: HTMLInputElement;
  #seeds: HTMLInputElement;

  constructor(scenario: Scenario, figure: Figure) {
    this.#scenario = scenario;
    const rows: HTMLElement[] = [];
    const axes = axesOf(figure);
    for (const key of scenario.keys.filter((one) => axes.includes(one.key) && isTypeable(one))) {
      const input = make("input", { value: key.shown.join(", "), spellcheck: false });
      this.#typed.push({ key, input });
      rows.push(row(key.label, input));
    }
    for (const [key, chosen] of beginning(scenario, figure)) rows.push(this.#select(key, chosen));
    for (const key of scenario.plain) rows.push(this.#change(key));
    if (!scenario.keys.some(({ key }) => key === "duration")) {
      const [low, high] = [Math.max(scenario.least * 1.1, scenario.duration / 100), scenario.duration];
      const { element, input } = slider({ low, high, value: high, whole: false, shown: "s" });
      this.#duration = input;
      rows.push(row("duration", element));
    }
    this.#seeds = make("input", {
      type: "number",
      min: "1",
      max: "100",
      value: String(scenario.seeds),
      required: true,
    });
    this.#seed = make("input", { type: "number", min: "0", step: "1", value: String(scenario.seed), required: true });
    this.#other = make("input", { placeholder: "mac.queue=10", spellcheck: false });
    rows.push(row("seeds", this.#seeds), row("first seed", this.#seed), row("another key", this.#other));
    this.element = make("div", { className: "again-form" }, ...rows);
  }

  /** What the reader wants; an error says what cannot be read. */
  wanted(): Wanted {
    const changed: Record<string, unknown> = {};
    for (const [name, { key, read }] of this.#plain) {
      const value = read();
      if (value !== key.value) changed[name] = written(key, value);
    }
    if (this.#duration && Number(this.#duration.value) !== this.#scenario.duration) {
      changed.duration = `${this.#duration.value}s`;
    }
    for (const text of this.#other.value.split(/[;\n]/).filter((one) => one.trim())) {
      const [key, value] = setting(text);
      changed[key] = value;
    }
    const chosen = new Map<string, number[]>();
    for (const [key, select] of this.#values) {
      chosen.set(
        key,
        [...select.selectedOptions].flatMap(({ value }) => value.split(" ").map(Number)),
      );
    }
    const seeds = whole(this.#seeds, "seeds");
    if (seeds > Number(this.#seeds.max))
      throw new Error(`seeds: found ${seeds}; a page runs at most ${this.#seeds.max}`);
    return { chosen, typed: this.#typedValues(), changed, seed: whole(this.#seed, "first seed", 0), seeds };
  }

  /** Of the keys of the axes those whose values the reader has changed. */
  #typedValues(): Map<string, Typed[]> {
    const changed = this.#typed.filter(({ key, input }) => input.value !== key.shown.join(", "));
    return new Map(changed.map(({ key, input }) => [key.key, typed(input.value, key)]));
  }

  #select(key: string, chosen: number[]): HTMLElement {
    const { shown = [], words = key } = this.#scenario.keys.find((one) => one.key === key) ?? {};
    const select = make("select");
    if (shown.length > 1) {
      const every = shown.map((_, at) => at).join(" ");
      select.append(make("option", { value: every, selected: chosen.length > 1 }, "each"));
    }
    shown.forEach((text, at) => {
      select.append(make("option", { value: String(at), selected: chosen.length === 1 && chosen[0] === at }, text));
    });
    this.#values.set(key, select);
    return row(words, select);
  }

  #change(key: PlainKey): HTMLElement {
    if (typeof key.value === "boolean") {
      const box = make("input", { type: "checkbox", checked: key.value });
      this.#plain.set(key.key, { key, read: () => box.checked });
      return row(key.words, box);
    }
    if (typeof key.value === "string") {
      const select = make("select");
      for (const word of key.choices ?? [])
        select.append(make("option", { value: word, selected: word === key.value }, word));
      this.#plain.set(key.key, { key, read: () => select.value });
      return row(key.words, select);
    }
    const { low = 0, high = 1, whole: isWhole = false, shown = "" } = key;
    const { element, input } = slider({ low, high, value: key.value, whole: isWhole, shown });
    this.#plain.set(key.key, { key, read: () => Number(input.value) });
    return row(key.words, element);
  }
}

/** A changed value as a scenario has it: a number with the unit that its author wrote. */
function written(key: PlainKey, value: unknown): unknown {
  return key.unit ? `${value}${key.unit}` : value;
}

function whole(input: HTMLInputElement, name: string, least = 1): number {
  const value = Number(input.value);
  if (input.value === "" || !Number.isSafeInteger(value) || value < least) {
    throw new Error(`${name}: found ${input.value || "nothing"}; expected a whole number from ${least} on`);
  }
  return value;
}

function row(name: string, control: HTMLElement): HTMLElement {
  return make("label", {}, make("span", {}, name), control);
}

/** A slider with a number next to it, which may lie beyond its ends. Steps are equal in proportion. */
function slider(given: { low: number; high: number; value: number; whole: boolean; shown: string }): {
  element: HTMLElement;
  input: HTMLInputElement;
} {
  const { low, high, value, whole: isWhole, shown } = given;
  const steps = 200;
  const place = (number: number): number => (steps * Math.log(number / low)) / Math.log(high / low);
  const input = make("input", { type: "number", value: String(value), step: isWhole ? "1" : "any" });
  const range = make("input", { type: "range", min: "0", max: String(steps), step: "1", value: String(place(value)) });
  range.addEventListener("input", () => {
    const exact = low * (high / low) ** (Number(range.value) / steps);
    input.value = String(isWhole ? Math.round(exact) : Number(exact.toPrecision(3)));
  });
  input.addEventListener("input", () => {
    if (Number(input.value) > 0) range.value = String(place(Number(input.value)));
  });
  range.tabIndex = high > low ? 0 : -1;
  return { element: make("span", { className: "again-slider" }, range, input, shown), input };
}
