/**
 * Numbers over time for a plot, in bounded memory.
 *
 * A full series gives up every second point, so that it still spans the whole run: a plot of ten minutes needs no more
 * points than it has pixels.
 */
export class Series {
  readonly columns: Float64Array[];
  private count = 0;
  private every = 1;
  private skipped = 0;

  /** `width`: values a point, besides its time. */
  constructor(
    width: number,
    readonly capacity = 4096,
  ) {
    this.columns = Array.from({ length: width + 1 }, () => new Float64Array(capacity));
  }

  get length(): number {
    return this.count;
  }

  push(time: number, ...values: number[]): void {
    // The newest point always holds what came last; those between two kept ones pass.
    if (this.skipped > 0 && this.count > 0) this.write(this.count - 1, time, values);
    else this.write(this.count++, time, values);
    this.skipped = (this.skipped + 1) % this.every;
    if (this.count === this.capacity) this.thin();
  }

  /** The place of the last point not later than `time`; -1: there is none. */
  placeAt(time: number): number {
    const times = this.columns[0] as Float64Array;
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] as number) > time) high = middle;
      else low = middle + 1;
    }
    return low - 1;
  }

  /** The value of a column at a time; null before the first point. */
  valueAt(time: number, column: number): number | null {
    const place = this.placeAt(time);
    return place < 0 ? null : ((this.columns[column] as Float64Array)[place] as number);
  }

  private write(place: number, time: number, values: number[]): void {
    (this.columns[0] as Float64Array)[place] = time;
    for (let at = 1; at < this.columns.length; at++) {
      (this.columns[at] as Float64Array)[place] = values[at - 1] ?? Number.NaN;
    }
  }

  private thin(): void {
    const kept = this.count >> 1;
    for (const column of this.columns) for (let at = 0; at < kept; at++) column[at] = column[2 * at] as number;
    this.count = kept;
    this.every *= 2;
    this.skipped = 0;
  }
}
