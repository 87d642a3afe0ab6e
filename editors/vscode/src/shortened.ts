/** Shortening of lines for places with little room. */

/** Returns the line, or as many of its first words as fit into `most` characters together with an ellipsis. */
export function shortened(line: string, most: number): string {
  if (line.length <= most) {
    return line;
  }
  const start = line.slice(0, most - 1);
  // A first word that is too long is cut.
  const words = /\s/.test(line.charAt(most - 1)) ? start : start.replace(/\s+\S*$/, '');
  return `${words.replace(/[\s,;:(|·-]+$/, '')}…`;
}
