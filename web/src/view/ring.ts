/** A list that keeps its newest entries: memory stays bounded however long a run is watched. */

export class Ring<T> {
  private readonly slots: (T | undefined)[];
  private first = 0;
  private count = 0;

  constructor(readonly capacity: number) {
    this.slots = new Array(capacity);
  }

  get length(): number {
    return this.count;
  }

  /** Adds an entry; returns the one that had to go for it. */
  push(value: T): T | undefined {
    if (this.count === this.capacity) {
      const gone = this.slots[this.first];
      this.slots[this.first] = value;
      this.first = (this.first + 1) % this.capacity;
      return gone;
    }
    this.slots[(this.first + this.count++) % this.capacity] = value;
    return undefined;
  }

  /** Takes the oldest entry away. */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const gone = this.slots[this.first];
    this.slots[this.first] = undefined;
    this.first = (this.first + 1) % this.capacity;
    this.count--;
    return gone;
  }

  /** The entry at a place, from 0 for the oldest; there must be one. */
  at(place: number): T {
    return this.slots[(this.first + place) % this.capacity] as T;
  }

  last(): T | undefined {
    return this.count ? this.at(this.count - 1) : undefined;
  }

  /** The place of the first entry that is later than `time`; entries stand in order of `timeOf`. */
  after(time: number, timeOf: (value: T) => number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (timeOf(this.at(middle)) > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The last entry that is not later than `time`. */
  until(time: number, timeOf: (value: T) => number): T | undefined {
    const place = this.after(time, timeOf);
    return place ? this.at(place - 1) : undefined;
  }
}
