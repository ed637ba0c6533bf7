/** The engine for the rest of the web part: its types, and the classes that fulfil them. */

export * from "./api";
export { Engine, World } from "./engine";
export { type LiveAnswer, LiveWorld } from "./live";
export { type Port, RemoteEngine, RemoteWorld } from "./remote";
