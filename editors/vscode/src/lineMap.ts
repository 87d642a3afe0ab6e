/** Which lines of a listing and of the PTX that it was made of belong together. All lines count from 0. */

/** A function's lines, from its first to before its end, in both texts. */
export interface MappedFunction {
  name: string;
  listing: [number, number];
  ptx: [number, number];
}

type Side = 'listing' | 'ptx';

export class LineMap {
  private readonly lines: Record<Side, Map<number, number[]>> = { listing: new Map(), ptx: new Map() };

  /** `pairs`: a line of the listing with the one of the PTX. */
  constructor(
    private pairs: [number, number][],
    private functions: MappedFunction[],
  ) {
    this.index();
  }

  /** The lines on the other side that belong to a line, in order. */
  others(side: Side, line: number): number[] {
    return this.lines[side].get(line) ?? [];
  }

  /**
   * Where the other side has to be for a line to stand beside what belongs to it: a line that belongs to nothing stands where
   * the nearest one above it does, in the same function. Undefined outside of all functions.
   */
  beside(side: Side, line: number): number | undefined {
    const other: Side = side === 'ptx' ? 'listing' : 'ptx';
    const around = this.functions.find((one) => one[side][0] <= line && line < one[side][1]);
    for (let above = line; above >= (around?.[side][0] ?? line); above--) {
      const [first] = this.others(side, above);
      if (first !== undefined) {
        return first;
      }
    }
    return around?.[other][0];
  }

  /** The PTX has been edited: the lines from `first` to before `last` are now so many others. What was made of them is not known any more. */
  edited(first: number, last: number, lines: number): void {
    const delta = lines - (last - first);
    const moved = (line: number): number => (line >= last ? line + delta : line);
    this.pairs = this.pairs.filter(([, ptx]) => ptx < first || ptx >= last).map(([listing, ptx]) => [listing, moved(ptx)]);
    this.functions = this.functions.map((one) => ({ ...one, ptx: [moved(one.ptx[0]), moved(one.ptx[1])] }));
    this.index();
  }

  private index(): void {
    this.lines.listing.clear();
    this.lines.ptx.clear();
    for (const [listing, ptx] of this.pairs) {
      add(this.lines.listing, listing, ptx);
      add(this.lines.ptx, ptx, listing);
    }
  }
}

function add(lines: Map<number, number[]>, from: number, to: number): void {
  const list = lines.get(from);
  if (list) {
    list.push(to);
  } else {
    lines.set(from, [to]);
  }
}
