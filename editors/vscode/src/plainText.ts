/** Markdown of the server as plain text, for places that show nothing else. */

/** The text without fences, marks of code and emphasis; what is in code, such as the `*` of a pointer, stays. */
export function plain(markdown: string): string {
  const lines = markdown.split('\n').filter((line) => !/^\s*```/.test(line));
  const parts = lines.join('\n').split('`');
  // Every second part is code.
  const texts = parts.map((part, at) => (at % 2 === 0 ? part.replaceAll('**', '') : part));
  return texts.join('').trim();
}
