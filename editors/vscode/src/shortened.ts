/** Lines for places that have room for a few words. */

/** The line, or as many of its first words as fit into so many characters with an ellipsis behind them. */
export function shortened(line: string, most: number): string {
  if (line.length <= most) {
    return line;
  }
  const start = line.slice(0, most - 1);
  // Within a word where the first one alone is too long.
  const words = /\s/.test(line.charAt(most - 1)) ? start : start.replace(/\s+\S*$/, '');
  return `${words.replace(/[\s,;:(|·-]+$/, '')}…`;
}
