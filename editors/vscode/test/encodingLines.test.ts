import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodingStart, isEncodingAlone } from '../src/encodingLines';

test('an encoding is found after an instruction, and alone on a line', () => {
  assert.equal(encodingStart('  /*0000*/  MOV R1, R2 ;  /* 0x00000a00ff017b82 */'), 26);
  assert.ok(!isEncodingAlone('  /*0000*/  MOV R1, R2 ;  /* 0x00000a00ff017b82 */'));
  assert.ok(isEncodingAlone('      /* 0x000fe20000000a00 */'));
});

test('in a view, two words and the source location are one encoding', () => {
  const code = '  /*0000*/  MOV R1, R2 ;';
  const words = '/* 0x00000a00ff017b82 */ /* 0x000fe20000000800 */';
  assert.equal(encodingStart(`${code}  ${words}`), code.length + 2);
  assert.equal(encodingStart(`${code}  ${words} //## File "/p/k.cu", line 7`), code.length + 2);
  assert.equal(encodingStart(`${code} //## File "/p/k.cu", line 7`), undefined);
});

test('other comments are not encodings', () => {
  assert.equal(encodingStart('  /*0000*/  MOV R1, R2 ;'), undefined);
  assert.equal(encodingStart('  MOV R1, R2 ; /* 0x12 */'), undefined);
});
