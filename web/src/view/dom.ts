/** Elements without markup: every text goes in as text, so that labels and titles of a scenario are never read as HTML. */

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | EventListener | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Sets a text only where it has changed: most readouts stay as they are from frame to frame. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const ICONS = {
  play: "M7 4.5v15l12.5-7.5z",
  pause: "M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z",
  step: "M5 5v14l9-7zM15.5 5h3v14h-3z",
  back: "M19 5v14l-9-7zM5.5 5h3v14h-3z",
  next: "M4 5v14l8-7zM12 5v14l8-7z",
  restart: "M12 5a7 7 0 1 1-6.6 4.7l1.9.7A5 5 0 1 0 12 7v3L7.5 6 12 2z",
  filter: "M4 5h16l-6.2 7.2V19l-3.6-2v-4.8z",
  moon: "M19 14.6A8 8 0 0 1 9.4 5 8 8 0 1 0 19 14.6z",
  close: "M6 4.6 12 10.6l6-6 1.4 1.4-6 6 6 6-1.4 1.4-6-6-6 6L4.6 18l6-6-6-6z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
} as const;
export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** Shows another icon in a button. */
export function setIcon(button: Element, name: IconName): void {
  button.querySelector("path")?.setAttribute("d", ICONS[name]);
}

export function button(name: IconName, label: string, key: string, act: () => void): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  return h("button", { type: "button", class: "icon", title, "aria-label": label, onclick: act }, icon(name));
}
