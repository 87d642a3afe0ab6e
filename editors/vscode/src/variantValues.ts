/** Columns of an HTML table for the values of variants. */

/** The values of variants, written `NAME = 1, OTHER = 2` or `NAME=1 OTHER=2`. Each name whose values differ has a column. */
export class Values {
  /** The values that all variants share, written `NAME = 1, OTHER = 2`. */
  readonly same: string;
  /** The names whose values differ; undefined where a variant is not a list of values. */
  private readonly differing: string[] | undefined;

  constructor(variants: string[]) {
    const all = variants.map(valuesOf);
    const first = all[0];
    const isList = first !== undefined && all.every((own) => own !== undefined && [...own.keys()].join() === [...first.keys()].join());
    const isSame = (name: string): boolean => all.length > 1 && all.every((own) => own?.get(name) === first?.get(name));
    this.differing = isList ? [...first.keys()].filter((name) => !isSame(name)) : undefined;
    const shared = isList ? [...first].filter(([name]) => isSame(name)) : [];
    this.same = shared.map(([name, value]) => `${name} = ${value}`).join(', ');
  }

  /** The titles of the columns. If the variants are not lists of values, there is one column with `title`. */
  heads(title: string): string[] {
    return this.differing ? [...this.differing.map((name) => `<code>${escaped(name)}</code>`), ''] : [title, ''];
  }

  /** The cells of a row: its values, and `now` if it is the current variant. */
  cells({ variant, is_now: isNow }: { variant: string; is_now: boolean }): string {
    const own = valuesOf(variant);
    const cells = this.differing ? this.differing.map((name) => own?.get(name) ?? '') : [variant];
    const kind = this.differing ? 'number' : 'words';
    return `${cells.map((cell) => `<td class="${kind}"><code>${escaped(cell)}</code></td>`).join('')}<td>${isNow ? 'now' : ''}</td>`;
  }
}

/** Parses the values of a variant, by name and in order. Returns undefined if the text is not a list of values. */
function valuesOf(variant: string): Map<string, string> | undefined {
  const values = new Map<string, string>();
  for (const part of variant.split(/,\s*|\s+(?=\w+=)/)) {
    const [, name, value] = /^(\w+)\s*=\s*(.+)$/.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      return undefined;
    }
    values.set(name, value);
  }
  return values;
}

/** Escapes a text for HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
