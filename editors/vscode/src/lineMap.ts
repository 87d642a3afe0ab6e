/** Which lines of a listing and of the source that it was made of belong together. All lines count from 0. */

/** A function's lines, from its first to before its end, in both texts. */
export interface MappedFunction {
  name: string;
  listing: [number, number];
  source: [number, number];
}

export type Side = 'listing' | 'source';

export class LineMap {
  /** The source is another one than the listing was made of. */
  isOvertaken = false;
  private readonly lines: Record<Side, Map<number, number[]>> = { listing: new Map(), source: new Map() };

  /** `pairs`: a line of the listing with the one of the source. */
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
    const other: Side = side === 'source' ? 'listing' : 'source';
    const around = this.functions.find((one) => one[side][0] <= line && line < one[side][1]);
    for (let above = line; above >= (around?.[side][0] ?? line); above--) {
      const [first] = this.others(side, above);
      if (first !== undefined) {
        return first;
      }
    }
    return around?.[other][0];
  }

  /** The lines of the source that something belongs to. */
  sources(): number[] {
    return [...this.lines.source.keys()];
  }

  /** Each line of the listing that belongs to the source, with the first line there. */
  firsts(): [number, number][] {
    return [...this.lines.listing].map(([line, [source = 0]]) => [line, source]);
  }

  /** The source has been edited: the lines from `first` to before `last` are now so many others. What was made of them is not known any more. */
  edited(first: number, last: number, lines: number): void {
    this.isOvertaken = true;
    const delta = lines - (last - first);
    const moved = (line: number): number => (line >= last ? line + delta : line);
    this.pairs = this.pairs.filter(([, source]) => source < first || source >= last).map(([listing, source]) => [listing, moved(source)]);
    this.functions = this.functions.map((one) => ({ ...one, source: [moved(one.source[0]), moved(one.source[1])] }));
    this.index();
  }

  private index(): void {
    this.lines.listing.clear();
    this.lines.source.clear();
    for (const [listing, source] of this.pairs) {
      add(this.lines.listing, listing, source);
      add(this.lines.source, source, listing);
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
