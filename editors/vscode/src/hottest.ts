/** The hottest of some lines, in order; what the commands about heat go to. */

export interface Hot {
  line: number;
  share: number;
}

/** The share from which on a line is a hot spot. */
const HOT = 0.02;

/** At most so many lines, the hottest first. */
export function hottest<T extends Hot>(lines: readonly T[], most: number): T[] {
  return [...lines].sort((a, b) => b.share - a.share || a.line - b.line).slice(0, most);
}

/** The next hot spot behind a line, or the one before it, around the ends; undefined where nothing is hot. */
export function hotSpot<T extends Hot>(lines: readonly T[], line: number, isForward: boolean): T | undefined {
  const spots = lines.filter(({ share }) => share >= HOT);
  // Where all is lukewarm the hottest lines are what there is.
  const all = (spots.length > 0 ? spots : hottest(lines, 3)).sort((a, b) => a.line - b.line);
  return isForward ? (all.find((spot) => spot.line > line) ?? all[0]) : (all.filter((spot) => spot.line < line).at(-1) ?? all.at(-1));
}
