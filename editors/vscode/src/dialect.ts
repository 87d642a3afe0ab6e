/** Detection of a text's SASS notation by its first lines. The marks are the same as in the Neovim plugin. */

/**
 * Number of lines that are examined. The longest known preamble, a register mapping of a hundred lines, itself contains a mark.
 */
export const LINES = 128;
/**
 * Number of characters that are examined per line. Marks are near its start, and a minified file may be one line of megabytes.
 */
export const CHARACTERS = 200;

/**
 * The marks of each notation with their weights. A line of prose has the weight -1. The header of a listing occurs once and has
 * the weight 5; an instruction occurs in every line and has the weight 1.
 */
const MARKS: readonly (readonly [notation: string, worth: number, mark: RegExp])[] = [
  ['cuasm', 5, /^\s*\.__elf_\w+\s/],
  ['dsass', 1, /^\[B[0-][1-][2-][3-][4-][5-]:R[0-5-]:W[0-5-]:[Y-]:S\d\d\]/],
  ['cuasm', 1, /^\s+\[B[0-][1-][2-][3-][4-][5-]:R[0-5-]:W[0-5-]:[Y-]:S\d\d\]/],
  ['cuobjdump', 5, /^\s*code for sm_\d+/],
  ['cuobjdump', 5, /^\s*\.headerflags\s+@"EF_CUDA/],
  ['nvdisasm', 5, /^\/\/-{8,} \.\w/],
  // A printed instruction. PTX and C have no comment of four bare hexadecimal digits before a statement.
  ['nvdisasm', 1, /^\s*\/\*[0-9a-fA-F]{4,}\*\/\s+\{?\s*@?!?[A-Z]/],
  ['KeplerAs', 1, /^[T-]:[G-]:[D-]:[S-]:\d\d\s/],
  ['TuringAs', 5, /^\s*<regs>\s*$/i],
  ['maxas or KeplerAs', 5, /^\s*<(REGISTER_MAPPING|CONSTANT_MAPPING|SCHEDULE_BLOCK)>/],
  // Both write control codes in the same form; they differ in the number of the first barrier.
  ['maxas or TuringAs', 1, /^\s*[0-9a-fA-F-][0-9a-fA-F-]:[0-6-]:[0-6-]:[yY-]:[0-9a-fA-F-]\s/],
];

/** Whether a line that is not a comment has two lower-case words in a row. A text that quotes a listing has many such lines. */
function isProse(line: string): boolean {
  return /[a-z]{2,} +[a-z]{2,}/.test(line) && !/^\s*[#/*]/.test(line);
}

/** Returns the notation of the lines; undefined if they are not SASS. */
export function notationOf(lines: Iterable<string>): string | undefined {
  let first: string | undefined;
  let balance = 0;
  let seen = 0;
  for (const line of lines) {
    if (seen++ === LINES) {
      break;
    }
    const start = line.slice(0, CHARACTERS);
    const mark = MARKS.find(([, , mark]) => mark.test(start));
    if (mark) {
      first ??= mark[0];
      balance += mark[1];
    } else if (isProse(start)) {
      balance -= 1;
    }
  }
  return balance > 0 ? first : undefined;
}

/** Whether the first line that is neither blank nor a comment is a `.version` directive of PTX. */
export function isPtx(lines: Iterable<string>): boolean {
  let seen = 0;
  for (const line of lines) {
    const start = line.slice(0, CHARACTERS).trim();
    if (/^\.version\s+\d+\.\d+/.test(start)) {
      return true;
    }
    if (seen++ === LINES || (start !== '' && !start.startsWith('//'))) {
      return false;
    }
  }
  return false;
}
