/** Selection of the hottest lines, for the commands that list and visit them. */

export interface Hot {
  line: number;
  share: number;
}

/** Least share of a hot spot. */
const HOT = 0.02;

/** Returns at most `most` lines, the hottest first. */
export function hottest<T extends Hot>(lines: readonly T[], most: number): T[] {
  return [...lines].sort((a, b) => b.share - a.share || a.line - b.line).slice(0, most);
}

/** Returns the next hot spot after a line, or the previous one before it, and wraps around. Undefined if `lines` is empty. */
export function hotSpot<T extends Hot>(lines: readonly T[], line: number, isForward: boolean): T | undefined {
  const spots = lines.filter(({ share }) => share >= HOT);
  // If no line is a hot spot, the three hottest lines are visited.
  const all = (spots.length > 0 ? spots : hottest(lines, 3)).sort((a, b) => a.line - b.line);
  return isForward ? (all.find((spot) => spot.line > line) ?? all[0]) : (all.filter((spot) => spot.line < line).at(-1) ?? all.at(-1));
}
