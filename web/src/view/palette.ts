/** Colours that colour-blind readers can distinguish (Okabe and Ito 2008), for light and dark surroundings. */

export interface Palette {
  ground: string;
  panel: string;
  ink: string;
  soft: string;
  line: string;
  accent: string;
  data: string;
  rts: string;
  cts: string;
  ack: string;
  routing: string;
  loss: string;
  nav: string;
  hear: string;
  sense: string;
  queue: string;
  flows: readonly string[];
}

const LIGHT: Palette = {
  ground: "#ffffff",
  panel: "#f5f7f9",
  ink: "#1c2127",
  soft: "#5b6570",
  line: "#d9dee3",
  accent: "#0b5cad",
  data: "#0072b2",
  rts: "#b65a94",
  cts: "#d98a00",
  ack: "#009e73",
  routing: "#4a9fd0",
  loss: "#d04a00",
  nav: "#d9b400",
  hear: "#a9c9e8",
  sense: "#d3d8dd",
  queue: "#8b95a1",
  flows: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#555555"],
};

const DARK: Palette = {
  ground: "#15191d",
  panel: "#1e242a",
  ink: "#e4e8ec",
  soft: "#9aa5b1",
  line: "#343c45",
  accent: "#7ab8ff",
  data: "#4ba3e3",
  rts: "#dc98bf",
  cts: "#f0a93c",
  ack: "#3cc79b",
  routing: "#8ccbf2",
  loss: "#ff7d45",
  nav: "#efd34a",
  hear: "#34506b",
  sense: "#39424b",
  queue: "#7f8b97",
  flows: ["#4ba3e3", "#ff8a4a", "#3cc79b", "#dc98bf", "#f0b53c", "#8ccbf2", "#ab83c9", "#a8b0b8"],
};

export const paletteOf = (dark: boolean): Palette => (dark ? DARK : LIGHT);

/** The groups of frames that share a colour and a filter. */
export const FRAME_GROUPS = ["data", "rts", "cts", "ack", "routing"] as const;
export type FrameGroup = (typeof FRAME_GROUPS)[number];

export const GROUP_WORDS: Record<FrameGroup, string> = {
  data: "data",
  rts: "RTS, Block Ack request",
  cts: "CTS, CF-End",
  ack: "ACK, Block Ack",
  routing: "routing, ARP",
};

/** What real stacks send is data, too: the engine looks into none of it. */
const TRANSPORTS = new Set(["tcp", "udp", "dccp", "atp", "outside", "ethernet"]);

export function groupOf(frame: string, packetKind: string | null): FrameGroup {
  switch (frame) {
    case "rts":
    case "block-ack-req":
      return "rts";
    case "cts":
    case "cf-end":
      return "cts";
    case "ack":
    case "block-ack":
      return "ack";
    default:
      return packetKind !== null && !TRANSPORTS.has(packetKind) ? "routing" : "data";
  }
}

export const flowColour = (palette: Palette, flow: number): string =>
  palette.flows[flow % palette.flows.length] as string;

/** Hands the colours to the style sheet. */
export function paint(root: HTMLElement, palette: Palette): void {
  for (const [name, value] of Object.entries(palette)) {
    if (typeof value === "string") root.style.setProperty(`--${name}`, value);
  }
}
