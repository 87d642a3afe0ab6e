import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../src/plainText';

test('marks are removed, and pointers in code are kept', () => {
  assert.equal(plain('**Launch**: `k(float const*, int**)`\n'), 'Launch: k(float const*, int**)');
});

test('a fence is removed with its language', () => {
  assert.equal(plain('```text\na * b\n```'), 'a * b');
});
