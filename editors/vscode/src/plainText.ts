/** Conversion of the server's Markdown to plain text. */

/** Removes code fences, backticks and `**` for emphasis. Code itself is kept, such as the `*` of a pointer. */
export function plain(markdown: string): string {
  const lines = markdown.split('\n').filter((line) => !/^\s*```/.test(line));
  const parts = lines.join('\n').split('`');
  // Every second part is code.
  const texts = parts.map((part, at) => (at % 2 === 0 ? part.replaceAll('**', '') : part));
  return texts.join('').trim();
}
