/** Two panels over the view: what is shown, and the keys. */

import type { Setup } from "../engine/api";
import { button, h, say } from "./dom";
import { type Filters, LAYER_WORDS, LAYERS, readNodes } from "./filters";
import { FRAME_GROUPS, flowColour, GROUP_WORDS, type Palette } from "./palette";

export const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["→ ←", "one frame on, one frame back"],
  ["+ −", "faster, slower"],
  ["n", "jump to the next loss or timeout, as chosen"],
  ["0", "from the beginning"],
  ["f", "what is shown"],
  ["[ ]", "timeline: wider, narrower"],
  ["Esc", "back to the run; close a panel"],
  ["?", "this help"],
];

/** A dialog that covers the page until it is closed; Esc closes it. */
function dialog(title: string, ...content: (Node | string)[]): HTMLDialogElement {
  const box: HTMLDialogElement = h(
    "dialog",
    { class: "panel", "aria-label": title },
    h(
      "header",
      {},
      h("h2", {}, title),
      button("close", "Close", "Esc", () => box.close()),
    ),
    ...content,
  );
  box.addEventListener("click", (event) => {
    if (event.target === box) box.close();
  });
  return box;
}

export function helpPanel(): HTMLDialogElement {
  const keys = KEYS.flatMap(([key, words]) => [
    h("dt", {}, ...key.split(" ").map((one) => h("kbd", {}, one))),
    h("dd", {}, words),
  ]);
  return dialog(
    "Help",
    h("dl", { class: "keys" }, ...keys),
    h("h3", {}, "On the plane"),
    h(
      "p",
      {},
      "Drag moves it, the wheel zooms. A click on a node, an arrow or the rim of a range shows its fields. ",
      "A filled node sends or hears. The yellow arc is what is left of its NAV, the dotted arc its back-off; ",
      "squares are packets in its queue. A cross is a loss; the dashed arrow comes from the node at fault. ",
      "A dashed line between nodes is a link that a change of the run has made worse, with a cross one that is cut.",
    ),
    h("h3", {}, "In the timeline"),
    h(
      "p",
      {},
      "A lane is a node: what it sends, below it what it hears (thin: for others), NAV, back-off, queue. ",
      "Drag to move in time, click a frame for its fields, shift and wheel zoom.",
    ),
    h("h3", {}, "At high speed"),
    h("p", {}, "Who only hears a frame is not recorded while many nodes go fast. Slow down to see it."),
  );
}

export function filterPanel(
  filters: Filters,
  setup: Setup,
  palette: () => Palette,
  changed: () => void,
): HTMLDialogElement {
  const problem = h("p", { class: "problem", role: "alert" });
  const nodes = h("input", {
    type: "text",
    placeholder: "all, or 0-3, 7",
    "aria-label": "Nodes",
    oninput: () => {
      try {
        filters.nodes = readNodes(nodes.value, setup.nodes.length);
        say(problem, "");
        changed();
      } catch (error) {
        say(problem, error instanceof Error ? error.message : String(error));
      }
    },
  });
  const check = (label: string, on: boolean, set: (on: boolean) => void, colour?: string) => {
    const chip = colour ? h("i", { class: "chip" }) : null;
    if (chip && colour) chip.style.background = colour;
    const input = h("input", {
      type: "checkbox",
      onchange: () => {
        set(input.checked);
        changed();
      },
    });
    input.checked = on;
    return h("label", { class: "check" }, input, chip, label);
  };
  const put = <T>(set: Set<T>, value: T, on: boolean) => (on ? set.add(value) : set.delete(value));
  const colours = palette();
  return dialog(
    "What is shown",
    h("fieldset", {}, h("legend", {}, "Nodes"), nodes, problem),
    h(
      "fieldset",
      {},
      h("legend", {}, "Frames"),
      ...FRAME_GROUPS.map((group) =>
        check(GROUP_WORDS[group], filters.groups.has(group), (on) => put(filters.groups, group, on), colours[group]),
      ),
    ),
    h(
      "fieldset",
      { class: "many" },
      h("legend", {}, "Flows"),
      ...setup.flows.map((flow, id) =>
        check(
          flow.label ?? `${flow.source} → ${flow.destination}`,
          !filters.hiddenFlows.has(id),
          (on) => put(filters.hiddenFlows, id, !on),
          flowColour(colours, id),
        ),
      ),
    ),
    h(
      "fieldset",
      {},
      h("legend", {}, "Besides"),
      ...LAYERS.map((layer) =>
        check(LAYER_WORDS[layer], filters.layers.has(layer), (on) => put(filters.layers, layer, on)),
      ),
    ),
  );
}

/** What the colours mean. */
export function legend(): HTMLElement {
  const entry = (name: string, words: string, shape = "chip") => {
    const chip = h("i", { class: shape });
    chip.style.setProperty("--chip", `var(--${name})`);
    return h("li", {}, chip, words);
  };
  return h(
    "ul",
    { class: "legend", "aria-label": "Colours" },
    entry("data", "data"),
    entry("rts", "RTS"),
    entry("cts", "CTS"),
    entry("ack", "ACK"),
    entry("routing", "routing"),
    entry("hear", "decodes"),
    entry("sense", "only senses"),
    entry("loss", "lost", "chip cross"),
    entry("nav", "NAV", "chip ring"),
    entry("ink", "back-off", "chip dots"),
    entry("queue", "queue", "chip small"),
  );
}
