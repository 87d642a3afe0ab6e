import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodingStart, isEncodingAlone } from '../src/encodingLines';

test('an encoding is found behind an instruction, and alone', () => {
  assert.equal(encodingStart('  /*0000*/  MOV R1, R2 ;  /* 0x00000a00ff017b82 */'), 26);
  assert.ok(!isEncodingAlone('  /*0000*/  MOV R1, R2 ;  /* 0x00000a00ff017b82 */'));
  assert.ok(isEncodingAlone('      /* 0x000fe20000000a00 */'));
});

test('other comments are no encodings', () => {
  assert.equal(encodingStart('  /*0000*/  MOV R1, R2 ;'), undefined);
  assert.equal(encodingStart('  MOV R1, R2 ; /* 0x12 */'), undefined);
});
