import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain } from '../src/plainText';

test('marks go, and pointers in code stay', () => {
  assert.equal(plain('**Launch**: `k(float const*, int**)`\n'), 'Launch: k(float const*, int**)');
});

test('a fence goes with its language', () => {
  assert.equal(plain('```text\na * b\n```'), 'a * b');
});
