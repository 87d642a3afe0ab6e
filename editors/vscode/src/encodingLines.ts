/** Encodings in lines of a listing: comments of 16 hexadecimal digits, as `cuobjdump` and `nvdisasm` print them behind instructions. */

const ENCODING = /\/\*\s*0x[0-9a-fA-F]{16}\s*\*\/\s*$/;

/** Where the encoding of a line starts; undefined where it has none. */
export function encodingStart(text: string): number | undefined {
  return ENCODING.exec(text)?.index;
}

/** Whether a line holds an encoding and nothing else. */
export function isEncodingAlone(text: string): boolean {
  const start = encodingStart(text);
  return start !== undefined && text.slice(0, start).trim() === '';
}
