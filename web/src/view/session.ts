/** Keeps the engine a little ahead of the playhead, and finds what the viewer wants to jump to. */

import { ahead, Clock, isAffordable } from "./clock";
import { type Mark, NS, type Transmission } from "./facts";
import { History } from "./history";
import { type AsyncWorld, FINE, WANTED } from "./remote";
import { plain } from "./words";

/** Records of one answer of the engine: the page stays responsive between two. */
const MOST = 6000;
/** The engine is asked for its state so often, in ms of the viewer; routes and windows change more slowly. */
const STATE_EVERY = 120;
/** The playhead stays so far behind what is known, in ns: what becomes of a frame is known at its end. */
const BEHIND = 8e6;
/** With so many nodes a search still keeps who only hears; a default. */
const FEW_NODES = 40;

export class Session {
  readonly clock = new Clock();
  readonly history: History;
  /** What went wrong in the engine, in its own words. */
  failure: string | null = null;
  /** Whether the playhead waits for the engine. */
  waits = false;
  /** What is looked for, in words; null: nothing. */
  seeking: string | null = null;
  private last: Promise<void> = Promise.resolve();
  private isBusy = false;
  private stateAsked = Number.NEGATIVE_INFINITY;
  private hears: boolean | null = null;
  /** Where the last step or jump has put the playhead, and the instant from which the next one looks on. */
  private stepped: { time: number; from: number } | null = null;

  constructor(readonly world: AsyncWorld) {
    const flows = world.setup.flows.map((flow) => ({ ...flow, label: flow.label === null ? null : plain(flow.label) }));
    this.history = new History({ ...world.setup, flows });
    // A live run is joined as it stands.
    if (world.isLive) this.history.since = this.clock.time = this.known;
  }

  /** How far the engine has come, in ns. */
  get known(): number {
    return Math.round(this.world.now_s * NS);
  }

  get end(): number {
    const { isLive, over, setup } = this.world;
    return isLive && over ? this.known : Math.round(setup.duration_s * NS);
  }

  /** How far the playhead may go. */
  get playable(): number {
    return this.world.over ? this.end : Math.max(0, this.known - BEHIND);
  }

  /** Follows the viewer's time; to be called for each picture. */
  tick(elapsedMs: number): void {
    const { isLive } = this.world;
    this.waits = this.clock.tick(elapsedMs, this.playable) && !this.world.over && !isLive;
    if (isLive) this.clock.follow(this.playable);
    if (this.world.over && this.clock.time >= this.end) this.clock.playing = false;
    if (!this.isBusy && !this.failure && !this.world.over) {
      // A live run goes on also where its picture rests: what nobody takes is lost.
      const wanted = isLive ? this.end : Math.min(this.end, this.clock.time + BEHIND + ahead(this.clock.speed));
      if (this.known < wanted) void this.run(() => this.advance(wanted));
    }
  }

  /** Goes to the next frame that begins, or back to the one before. */
  step(forward: boolean): Promise<void> {
    this.clock.playing = false;
    return this.run(async () => {
      const from = this.lookedTo;
      let frame = this.history.nextFrame(from, forward);
      while (!frame && forward && !this.world.over) {
        this.history.takeAll(await this.world.step(1));
        frame = this.history.nextFrame(from, forward);
      }
      if (frame) await this.show(frame);
    });
  }

  /** Shows a frame in the middle of its time. */
  async show(frame: Transmission): Promise<void> {
    await this.until(frame.end + BEHIND);
    this.clock.time = Math.round((frame.start + frame.end) / 2);
    this.stepped = { time: this.clock.time, from: frame.start };
  }

  /** The playhead, or what it was put into the middle of: the next of its kind is another one. */
  private get lookedTo(): number {
    return this.stepped?.time === this.clock.time ? this.stepped.from : this.clock.time;
  }

  /** Goes to an instant that is known already, or that lies not far ahead. */
  seek(time: number): void {
    const oldest = this.history.oldest;
    this.clock.time = Math.max(oldest, Math.min(time, this.playable));
  }

  /** Goes to the next mark that is wanted; a call of `stop` ends the search. */
  jump(wanted: (mark: Mark) => boolean, words: string): Promise<Mark | null> {
    this.clock.playing = false;
    this.seeking = words;
    let found: Mark | null = null;
    const job = this.run(async () => {
      const from = this.lookedTo;
      found = this.history.nextMark(from, wanted) ?? null;
      while (!found && !this.world.over && this.seeking !== null) {
        await this.advance(this.known + NS);
        found = this.history.nextMark(from, wanted) ?? null;
        if (!found) this.clock.time = this.playable;
      }
      if (found) {
        await this.until(found.time + BEHIND);
        if (found.frame) await this.show(found.frame);
        else this.clock.time = found.time;
        this.stepped = { time: this.clock.time, from: found.time };
      }
    });
    return job.then(() => {
      this.seeking = null;
      return found;
    });
  }

  stop(): void {
    this.seeking = null;
  }

  async dispose(): Promise<void> {
    this.stop();
    await this.last;
    await this.world.free();
  }

  private async until(time: number): Promise<void> {
    while (this.known < Math.min(time, this.end) && !this.world.over) await this.advance(time);
  }

  private async advance(until: number): Promise<void> {
    if (!this.world.isLive) await this.chooseRecords();
    this.history.takeAll(await this.world.advance(Math.min(until, this.end) / NS, MOST));
    const now = performance.now();
    if (now - this.stateAsked >= STATE_EVERY || this.world.over) {
      this.stateAsked = now;
      this.history.takeState(this.known, await this.world.state());
    }
  }

  private async chooseRecords(): Promise<void> {
    const count = this.world.setup.nodes.length;
    // At rest there is time for all records; a search goes far, and takes them all in small networks alone.
    const hears =
      this.seeking !== null ? count <= FEW_NODES : isAffordable(this.clock.playing ? this.clock.speed : 0, count);
    if (hears !== this.hears) {
      await this.world.keep(hears ? [...WANTED, ...FINE] : WANTED);
      this.history.forgetWaits();
      this.hears = hears;
    }
  }

  /** One thing at a time is asked of the engine. */
  private run(job: () => Promise<void>): Promise<void> {
    this.isBusy = true;
    const mine = this.last.then(job).catch((error: unknown) => {
      this.failure = error instanceof Error ? error.message : String(error);
      this.clock.playing = false;
    });
    this.last = mine;
    return mine.then(() => {
      if (this.last === mine) this.isBusy = false;
    });
  }
}
