/**
 * Encodings in lines of a listing: comments of 16 hexadecimal digits that `cuobjdump` and `nvdisasm` print after instructions.
 * In views from the server, the source location follows them on the same line.
 */

const ENCODING = /\/\*\s*0x[0-9a-fA-F]{16}\s*\*\/(?:\s*\/\*\s*0x[0-9a-fA-F]{16}\s*\*\/)?\s*(?:\/\/## File .*)?$/;

/** The column at which the encoding of a line starts; undefined if the line has none. */
export function encodingStart(text: string): number | undefined {
  return ENCODING.exec(text)?.index;
}

/** Whether a line contains an encoding and nothing else. */
export function isEncodingAlone(text: string): boolean {
  const start = encodingStart(text);
  return start !== undefined && text.slice(0, start).trim() === '';
}
