/**
 * A scenario in the fragment of a link: compressed, and in letters that a link may hold.
 *
 * A fragment never leaves the browser, and what one holds is read as data: a text for the editor and the engine.
 */

export interface Shared {
  text: string;
  /** Key of the scene that it began as. */
  scene: string | null;
}

const PREFIX = "#s=";
/** A larger text is refused: a link could otherwise unpack into gigabytes. */
export const MOST_SHARED = 1_000_000;

async function through(
  octets: Uint8Array<ArrayBuffer>,
  stream: GenericTransformStream,
  most: number,
): Promise<Uint8Array> {
  const reader = new Blob([octets])
    .stream()
    .pipeThrough(stream as TransformStream<Uint8Array, Uint8Array>)
    .getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("The scenario of this link is too large.");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export async function encode(shared: Shared): Promise<string> {
  const octets = new TextEncoder().encode(JSON.stringify([1, shared.text, shared.scene]));
  const packed = await through(octets, new CompressionStream("deflate-raw"), Number.POSITIVE_INFINITY);
  let letters = "";
  for (const octet of packed) letters += String.fromCharCode(octet);
  return PREFIX + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Reads a fragment.
 *
 * @returns What it holds; null where it holds no scenario.
 * @throws Error in words where it does, and cannot be read.
 */
export async function decode(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(PREFIX)) return null;
  let read: unknown;
  try {
    const letters = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const octets = await through(packed, new DecompressionStream("deflate-raw"), MOST_SHARED);
    read = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(octets));
  } catch (error) {
    if (error instanceof Error && error.message.includes("too large")) throw error;
    throw new Error("The link is damaged: its scenario cannot be read.");
  }
  if (!Array.isArray(read) || read[0] !== 1 || typeof read[1] !== "string") {
    throw new Error("The link is of another version of the playground.");
  }
  const [, text, scene] = read as unknown[];
  return {
    text: text as string,
    scene: typeof scene === "string" ? scene : null,
  };
}
