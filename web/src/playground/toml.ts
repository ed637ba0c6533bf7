/** Reads and changes single keys in the text of a scenario, so that its comments and its order stay. */

type Value = number | string | boolean;

interface Place {
  line: number;
  /** The text before the value, the value, and what follows it. */
  before: string;
  value: string;
  after: string;
}

const HEADER = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$/;
// A value that ends on its line: a string, a list, or a word up to a comment.
const LINE = /^(\s*([A-Za-z0-9_."-]+)\s*=\s*)("(?:[^"\\]|\\.)*"|'[^']*'|\[[^#]*\]|[^\s#"'[{][^#]*?)(\s*(?:#.*)?)$/;

/** The lines of a text with the table that each stands in: "", "mac", "flow.0". */
function* tables(text: string): Generator<{ line: number; table: string; text: string }> {
  const counts = new Map<string, number>();
  let table = "";
  for (const [line, one] of text.split("\n").entries()) {
    const header = HEADER.exec(one);
    if (header) {
      const name = (header[2] as string).replaceAll('"', "");
      const at = counts.get(name) ?? 0;
      counts.set(name, at + 1);
      table = header[1] === "[[" ? `${name}.${at}` : name;
    }
    yield { line, table, text: one };
  }
}

const matches = (pattern: string, table: string): boolean => {
  const [wanted, found] = [pattern.split("."), table.split(".")];
  return wanted.length === found.length && wanted.every((part, at) => part === "*" || part === found[at]);
};

/** Splits a dotted key, such as `flow.*.max_window`, into its table and its last part. */
function split(key: string): [string, string] {
  const at = key.lastIndexOf(".");
  return at < 0 ? ["", key] : [key.slice(0, at), key.slice(at + 1)];
}

function places(text: string, key: string): Place[] {
  const [table, name] = split(key);
  const found: Place[] = [];
  for (const one of tables(text)) {
    if (!matches(table, one.table)) continue;
    const match = LINE.exec(one.text);
    if (match && (match[2] as string).replaceAll('"', "") === name) {
      found.push({ line: one.line, before: match[1] as string, value: match[3] as string, after: match[4] as string });
    }
  }
  return found;
}

/** The value of a key, of `*` that of the first table; undefined where it does not stand there. */
export function readKey(text: string, key: string): Value | undefined {
  const value = places(text, key)[0]?.value.trim();
  if (value === undefined) return undefined;
  if (value === "true" || value === "false") return value === "true";
  if (/^["']/.test(value)) return value.slice(1, -1);
  const number = Number(value.replaceAll("_", ""));
  return Number.isNaN(number) ? value : number;
}

const written = (value: Value): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

/** The text with another value of a key, in every table that it names; where it is missing it is added. */
export function writeKey(text: string, key: string, value: Value): string {
  const lines = text.split("\n");
  const found = places(text, key);
  for (const { line, before, after } of found) {
    // Comments stay in their column where there is room.
    const old = lines[line] as string;
    const comment = after.trimStart();
    const start = before + written(value);
    const column = comment ? old.length - comment.length : 0;
    lines[line] = comment ? `${start.padEnd(Math.max(start.length + 1, column))}${comment}` : start;
  }
  if (found.length) return lines.join("\n");
  const [table, name] = split(key);
  const last = new Map<string, number>();
  for (const one of tables(text)) {
    if (matches(table, one.table) && (one.text.trim() || !last.has(one.table))) last.set(one.table, one.line);
  }
  const added = `${name} = ${written(value)}`;
  if (last.size === 0) return `${text.trimEnd()}\n\n[${table}]\n${added}\n`;
  for (const line of [...last.values()].sort((a, b) => b - a)) lines.splice(line + 1, 0, added);
  return lines.join("\n");
}

/** The table and the part of its line before a place of a text: what is being written there. */
export function contextAt(text: string, offset: number): { table: string; line: string; from: number } {
  const before = text.slice(0, offset);
  const from = before.lastIndexOf("\n") + 1;
  let table = "";
  // The line itself may be a header that is just being written.
  for (const one of tables(before.slice(0, from))) table = one.table;
  return { table, line: before.slice(from), from };
}
