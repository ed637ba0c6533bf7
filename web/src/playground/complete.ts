/** What can stand at a place of a scenario, from the JSON Schema of scenario files. */

import { contextAt } from "./toml";

/** The part of JSON Schema that the scenario's schema uses. */
export interface Schema {
  description?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Option {
  label: string;
  detail: string;
  info: string;
  /** What is written, where it is not the label. */
  apply: string;
}

export interface Completion {
  from: number;
  options: Option[];
}

/** Every alternative of a schema, and of these. */
function* alternatives(schema: Schema): Generator<Schema> {
  yield schema;
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* alternatives(one);
}

/** The keys of a table: those of all its alternatives. */
function propertiesOf(schema: Schema): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const one of alternatives(schema)) {
    for (const [name, property] of Object.entries(one.properties ?? {})) {
      const before = found.get(name);
      // A key of several alternatives, such as `kind`, has the values of all of them.
      found.set(name, before ? { description: before.description ?? "", anyOf: [before, property] } : property);
    }
  }
  return found;
}

/** The schema of a table such as "mac" or "flow.0"; null where there is no such table. */
function tableOf(schema: Schema, table: string): Schema | null {
  let at: Schema | null = schema;
  for (const part of table ? table.split(".") : []) {
    if (!at) return null;
    const items: Schema | undefined = [...alternatives(at)].find((one) => one.items)?.items;
    at = /^\d+$/.test(part) && items ? items : (propertiesOf(at).get(part) ?? null);
  }
  return at;
}

const isTable = (schema: Schema): boolean => [...alternatives(schema)].some((one) => one.properties);
const isList = (schema: Schema): boolean => [...alternatives(schema)].some((one) => one.items && isTable(one.items));

const text = (value: unknown): string => (typeof value === "string" ? JSON.stringify(value) : String(value));

function valuesOf(schema: Schema): Option[] {
  const found = new Map<string, Option>();
  const add = (value: unknown, info: string) => {
    const label = text(value);
    if (!found.has(label)) found.set(label, { label, detail: "", info, apply: label });
  };
  for (const one of alternatives(schema)) {
    const info = one.description ?? "";
    for (const value of one.enum ?? []) add(value, info);
    if (one.const !== undefined) add(one.const, info);
    if (one.type === "boolean") for (const value of [true, false]) add(value, info);
  }
  for (const option of found.values()) if (option.label === text(schema.default)) option.detail = "default";
  return [...found.values()];
}

function keysOf(table: Schema): Option[] {
  return [...propertiesOf(table)]
    .filter(([, schema]) => !isTable(schema) && !isList(schema))
    .map(([name, schema]) => ({
      label: name,
      detail: schema.default === undefined ? "" : text(schema.default),
      info: schema.description ?? "",
      apply: `${name} = `,
    }));
}

function headersOf(schema: Schema): Option[] {
  return [...propertiesOf(schema)]
    .filter(([, one]) => isTable(one) || isList(one))
    .map(([name, one]) => {
      const label = isList(one) ? `[[${name}]]` : `[${name}]`;
      return { label, detail: "", info: one.description ?? "", apply: label };
    });
}

/** What can stand where the cursor is; null: nothing is known of that place. */
export function complete(schema: Schema, source: string, offset: number): Completion | null {
  const { table, line, from } = contextAt(source, offset);
  if (line.includes("#")) return null;
  if (/^\s*\[/.test(line)) return { from: from + line.search(/\[/), options: headersOf(schema) };
  const at = tableOf(schema, table);
  if (!at) return null;
  const value = /^\s*([A-Za-z0-9_-]+)\s*=\s*(.*)$/.exec(line);
  if (value) {
    const property = propertiesOf(at).get(value[1] as string);
    if (!property) return null;
    return { from: offset - (value[2] as string).length, options: valuesOf(property) };
  }
  const word = /[A-Za-z0-9_-]*$/.exec(line)?.[0] ?? "";
  return { from: offset - word.length, options: keysOf(at) };
}
