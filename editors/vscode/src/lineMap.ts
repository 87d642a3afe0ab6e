/** Mapping between the lines of a listing and of its source. All lines are counted from 0. */

/** The lines of a function in both texts: its first line, and the line after its last one. */
export interface MappedFunction {
  name: string;
  listing: [number, number];
  source: [number, number];
}

export type Side = 'listing' | 'source';

export class LineMap {
  /** Whether the source has been edited since the listing was made. */
  isOvertaken = false;
  private readonly lines: Record<Side, Map<number, number[]>> = { listing: new Map(), source: new Map() };

  /** `pairs`: a line of the listing, and its line of the source. */
  constructor(
    private pairs: [number, number][],
    private functions: MappedFunction[],
  ) {
    this.index();
  }

  /** The lines on the other side that correspond to a line, in the order of the pairs. */
  others(side: Side, line: number): number[] {
    return this.lines[side].get(line) ?? [];
  }

  /**
   * The line on the other side to show level with a line: its first counterpart. A line without one takes that of the nearest
   * line above it in the same function, or the start of the function. Undefined for a line without a counterpart outside of all
   * functions.
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

  /** The lines of the source that have a counterpart. */
  sources(): number[] {
    return [...this.lines.source.keys()];
  }

  /** Each line of the listing that has a counterpart, with its first line of the source. */
  firsts(): [number, number][] {
    return [...this.lines.listing].map(([line, [source = 0]]) => [line, source]);
  }

  /**
   * Updates the map after an edit of the source that replaced the lines from `first` to before `last` by `lines` lines. The
   * replaced lines lose their counterparts; those after them move.
   */
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
