import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { complete, type Schema } from "../src/playground/complete";
import { decode, encode, MOST_SHARED } from "../src/playground/fragment";
import { SCENES } from "../src/playground/scenes";
import { estimate, words } from "../src/playground/statistics";
import { readKey, writeKey } from "../src/playground/toml";

const TEXT = `# A scenario
title = "T"

[mac]
rts_threshold = "off"   # 0: always
queue = 50

[[flow]]
from = 0
max_window = 4          # packets

[[flow]]
from = 1
max_window = 8
`;

describe("single keys of a text", () => {
  test("are read", () => {
    expect(readKey(TEXT, "mac.rts_threshold")).toBe("off");
    expect(readKey(TEXT, "mac.queue")).toBe(50);
    expect(readKey(TEXT, "flow.1.max_window")).toBe(8);
    expect(readKey(TEXT, "flow.*.max_window")).toBe(4);
    expect(readKey(TEXT, "title")).toBe("T");
    expect(readKey(TEXT, "mac.slot")).toBeUndefined();
  });

  test("are changed where they stand, and comments stay", () => {
    const changed = writeKey(TEXT, "mac.rts_threshold", 0);
    expect(changed).toContain("rts_threshold = 0       # 0: always");
    expect(changed.split("\n")).toHaveLength(TEXT.split("\n").length);
    const both = writeKey(TEXT, "flow.*.max_window", 32);
    expect([readKey(both, "flow.0.max_window"), readKey(both, "flow.1.max_window")]).toEqual([32, 32]);
    expect(readKey(writeKey(TEXT, "flow.1.max_window", 2), "flow.0.max_window")).toBe(4);
  });

  test("are added where they are missing", () => {
    const added = writeKey(TEXT, "mac.slot", "20us");
    expect(added).toContain('queue = 50\nslot = "20us"\n\n[[flow]]');
    expect(writeKey(TEXT, "radio.preset", "ht-20")).toContain('[radio]\npreset = "ht-20"\n');
    expect(writeKey(writeKey(TEXT, "flow.*.start", 1), "flow.*.start", 2).match(/start = 2/g)).toHaveLength(2);
  });

  test("a value in a string that looks like markup or a comment stays a value", () => {
    const text = 'title = "a # <script>"  # c\n';
    expect(readKey(text, "title")).toBe("a # <script>");
    expect(writeKey(text, "title", 'x"y')).toBe('title = "x\\"y"          # c\n');
  });
});

describe("a link", () => {
  test("carries a scenario there and back", async () => {
    const shared = { text: `${TEXT}# Umlauts: äöü, and <script>alert(1)</script>\n`, scene: "rts-cts" };
    const fragment = await encode(shared);
    expect(fragment).toMatch(/^#s=[A-Za-z0-9_-]+$/);
    expect(await decode(fragment)).toEqual(shared);
  });

  test("that holds none is none, and a damaged one says so", async () => {
    expect(await decode("")).toBeNull();
    expect(await decode("#parking-lot")).toBeNull();
    await expect(decode("#s=%%%")).rejects.toThrow("damaged");
    await expect(decode("#s=AAAA")).rejects.toThrow("damaged");
    const fragment = await encode({ text: TEXT, scene: null });
    await expect(decode(fragment.slice(0, -9))).rejects.toThrow("damaged");
  });

  test("cannot unpack without end", async () => {
    const fragment = await encode({ text: "x".repeat(MOST_SHARED + 1), scene: null });
    expect(fragment.length).toBeLessThan(5000);
    await expect(decode(fragment)).rejects.toThrow("too large");
  });
});

describe("completion", () => {
  const schema: Schema = {
    properties: {
      title: { type: "string", description: "Name." },
      mac: {
        properties: {
          qos: { type: "boolean", default: false, description: "QoS." },
          rts_threshold: { anyOf: [{ type: "integer" }, { const: "off" }], default: 0, description: "RTS." },
        },
      },
      topology: {
        oneOf: [
          { properties: { kind: { const: "chain", description: "a line" }, hops: { type: "integer" } } },
          { properties: { kind: { const: "ring", description: "a circle" }, nodes: { type: "integer" } } },
        ],
      },
      flow: { type: "array", items: { properties: { app: { enum: ["bulk", "cbr"], default: "bulk" } } } },
    },
  };
  const labels = (text: string) => complete(schema, text, text.length)?.options.map((option) => option.label);

  test("knows keys, words of choices and tables", () => {
    expect(labels("ti")).toEqual(["title"]);
    expect(labels("[mac]\nr")).toEqual(["qos", "rts_threshold"]);
    expect(labels("[mac]\nrts_threshold = ")).toEqual(['"off"']);
    expect(labels("[mac]\nqos = t")).toEqual(["true", "false"]);
    expect(labels('[topology]\nkind = "')).toEqual(['"chain"', '"ring"']);
    expect(labels("[topology]\n")).toEqual(["kind", "hops", "nodes"]);
    expect(labels("[[flow]]\n[[flow]]\napp = ")).toEqual(['"bulk"', '"cbr"']);
    expect(labels("[")).toEqual(["[mac]", "[topology]", "[[flow]]"]);
    expect(labels("[mac]\n# qos = ")).toBeUndefined();
  });

  test("replaces what has been written of the word", () => {
    expect(complete(schema, "[mac]\nrts", 9)?.from).toBe(6);
    expect(complete(schema, '[[flow]]\napp = "b', 17)?.from).toBe(15);
  });
});

describe("statistics", () => {
  test("a mean with its 95 % interval", () => {
    // Of 1, 2, 3: s = 1, t(2) = 4.303, half = 4.303 / sqrt(3).
    const of = estimate([1, 2, 3]);
    expect(of?.mean).toBe(2);
    expect(of?.half).toBeCloseTo(2.4843, 3);
    expect(words(of)).toBe("2.0 ± 2.5");
    expect(words(estimate([5]))).toBe("5");
    expect(words(estimate([null, undefined]))).toBe("none");
    expect(words(estimate([3, 3]))).toBe("3 ± 0");
  });
});

describe("scenes", () => {
  test("are eight, and each has its question and what to look for", () => {
    expect(SCENES).toHaveLength(8);
    for (const scene of SCENES) {
      expect(scene.question).toMatch(/\?$/);
      expect(scene.look.length).toBeGreaterThan(1);
      const file = new URL(`../src/playground/scenes/${scene.key}.toml`, import.meta.url);
      expect(readFileSync(file, "utf8")).toBe(scene.text);
    }
  });

  test("each slider starts at the value that its scenario has", () => {
    for (const scene of SCENES) {
      for (const { key, values } of scene.controls) {
        expect(values, `${scene.key}: ${key}`).toContain(readKey(scene.text, key));
      }
    }
  });
});
