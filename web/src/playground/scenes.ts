/** The guided scenes: a scenario, a question, what can be turned, and what to look for. */

import ackThinning from "./scenes/ack-thinning.toml?raw";
import aggregation from "./scenes/aggregation.toml?raw";
import aodv from "./scenes/aodv-false-failures.toml?raw";
import exposed from "./scenes/exposed-terminal.toml?raw";
import hidden from "./scenes/hidden-terminal.toml?raw";
import parkingLot from "./scenes/parking-lot.toml?raw";
import rtsCts from "./scenes/rts-cts.toml?raw";
import windowHops from "./scenes/window-hops.toml?raw";

/** A slider: the values that a key takes, from left to right. */
export interface Control {
  key: string;
  label: string;
  values: readonly (number | string)[];
  unit?: string;
}

export interface Scene {
  key: string;
  title: string;
  question: string;
  look: readonly string[];
  controls: readonly Control[];
  text: string;
  /** Speed to begin with. */
  speed: number;
}

const RTS: Control = {
  key: "mac.rts_threshold",
  label: "RTS above",
  values: [0, 256, 512, 1024, "off"],
  unit: "bytes",
};
const WINDOWS = [1, 2, 3, 4, 6, 8, 12, 16, 32] as const;

export const SCENES: readonly Scene[] = [
  {
    key: "hidden-terminal",
    title: "Hidden terminal",
    question: "Two stations send to the one between them and cannot hear each other. How much of it arrives?",
    look: [
      "Frames of nodes 0 and 2 overlap at node 1, and both are lost: the cross, with a dashed arrow from the node at fault.",
      "Set RTS to 0 bytes. The CTS of node 1 reaches both, and the yellow arc of its NAV keeps the other one quiet.",
      "Or let them hear farther than 400 m: no loss is left, without any RTS.",
    ],
    controls: [
      RTS,
      { key: "radio.cs_range", label: "carrier sense", values: [250, 300, 350, 410, 450, 500, 550], unit: "m" },
      { key: "flow.*.packet", label: "packet", values: [100, 200, 500, 1000, 1400], unit: "bytes" },
    ],
    text: hidden,
    speed: 5e-3,
  },
  {
    key: "exposed-terminal",
    title: "Exposed terminal",
    question: "Two pairs could talk at the same time. Why do they take turns?",
    look: [
      "Nodes 1 and 2 stand 300 m apart. Each senses the other (grey) and waits, though its own receiver would hear it well.",
      "Set carrier sense to 250 m: both send at once, and the throughput nearly doubles.",
      "RTS and CTS do not help here; they cost time.",
    ],
    controls: [{ key: "radio.cs_range", label: "carrier sense", values: [250, 350, 450, 550], unit: "m" }, RTS],
    text: exposed,
    speed: 5e-3,
  },
  {
    key: "window-hops",
    title: "Window against hops",
    question: "How many packets under way does a chain need?",
    look: [
      "Frames three hops apart go at the same time; nearer ones disturb each other.",
      "So a window of a quarter to a half of the hops fills the chain. A larger one adds delay and losses, no throughput.",
      "Watch cwnd of the flow: without a limit it grows until a frame is given up.",
    ],
    controls: [
      { key: "flow.0.max_window", label: "window", values: WINDOWS, unit: "packets" },
      { key: "topology.hops", label: "hops", values: [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20] },
    ],
    text: windowHops,
    speed: 0.01,
  },
  {
    key: "parking-lot",
    title: "Parking lot",
    question: "Flows of one, two and three hops share the same exit. Who gets what?",
    look: [
      "The longest flow meets the others at each hop, and gets the least.",
      "Its losses and timeouts: jump to the next timeout.",
      "A larger window does not help the long flow. It has to share more often, not to send more.",
    ],
    controls: [
      { key: "flow.*.max_window", label: "windows", values: WINDOWS, unit: "packets" },
      { key: "mac.queue", label: "queues", values: [5, 10, 20, 50, 100], unit: "packets" },
    ],
    text: parkingLot,
    speed: 0.01,
  },
  {
    key: "rts-cts",
    title: "RTS and CTS",
    question: "When is it worth to ask before sending?",
    look: [
      "All stations hear each other: collisions are rare, and asking first costs a quarter of the throughput and more.",
      "Set carrier sense to 250 m. Stations across from each other are hidden now, and more than half of the throughput is gone.",
      "With RTS a part of it comes back: a short frame collides instead of a long one.",
    ],
    controls: [
      RTS,
      { key: "radio.cs_range", label: "carrier sense", values: [250, 350, 410, 550], unit: "m" },
      { key: "flow.*.packet", label: "packet", values: [100, 200, 500, 1000, 1400], unit: "bytes" },
    ],
    text: rtsCts,
    speed: 5e-3,
  },
  {
    key: "ack-thinning",
    title: "ACK thinning",
    question: "ACKs are short. What do they cost on a chain?",
    look: [
      "An ACK of TCP needs RTS, CTS and ACK at each hop, as data do, and meets the data that come towards it.",
      "Set one ACK for two segments (delayed): a seventh more throughput. Adaptive ones (daa, dca) win more.",
      "The plot of the window shows the price: it grows with ACKs, so more slowly.",
    ],
    controls: [
      { key: "flow.0.ack", label: "ACKs", values: ["every", "delayed", "dca", "daa", "tack"] },
      { key: "flow.0.max_window", label: "window", values: WINDOWS, unit: "packets" },
      { key: "topology.hops", label: "hops", values: [1, 2, 3, 4, 5, 6, 7, 8, 10] },
    ],
    text: ackThinning,
    speed: 0.01,
  },
  {
    key: "aodv-false-failures",
    title: "AODV's false failures",
    question: "Nobody moves. Why do routes break?",
    look: [
      "A frame fails too often because others are sending: AODV takes its next hop for gone.",
      "It drops what waits and floods requests (light blue). TCP runs into its timeout: jump to the next one.",
      "Set the window to 2, or the routes to static: nothing breaks, and throughput doubles.",
    ],
    controls: [
      { key: "routing.protocol", label: "routing", values: ["aodv", "static"] },
      { key: "flow.0.max_window", label: "window", values: WINDOWS, unit: "packets" },
      { key: "topology.hops", label: "hops", values: [2, 3, 4, 5, 6, 7, 8, 10] },
    ],
    text: aodv,
    speed: 0.01,
  },
  {
    key: "aggregation",
    title: "Aggregation",
    question: "Why does a fast radio need long frames?",
    look: [
      "Each access to the medium costs the same waiting, however short the frame is.",
      "An A-MPDU sends many packets after one wait, and one Block Ack answers them all. Click one for its MPDUs.",
      "Make the A-MPDU smaller: the throughput falls while the bit rate stays.",
    ],
    controls: [
      { key: "mac.ampdu", label: "A-MPDU at most", values: ["off", 4000, 8000, 16000, 32000, 65535], unit: "bytes" },
      {
        key: "flow.0.rate",
        label: "offered",
        values: [5000000, 10000000, 20000000, 40000000, 60000000],
        unit: "bit/s",
      },
      { key: "topology.hops", label: "hops", values: [1, 2, 3] },
    ],
    text: aggregation,
    speed: 2e-3,
  },
];

export const sceneOf = (key: string | null): Scene | undefined => SCENES.find((scene) => scene.key === key);
