/** The engine for the rest of the web part: its types, and the classes that fulfil them. */

export * from "./api";
export { Engine, World } from "./engine";
export { type Port, RemoteEngine, RemoteWorld } from "./remote";
