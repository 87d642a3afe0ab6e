import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hotSpot, hottest } from '../src/hottest';

const LINES = [
  { line: 3, share: 0.01 },
  { line: 5, share: 0.3 },
  { line: 9, share: 0.001 },
  { line: 12, share: 0.05 },
];

test('the hottest lines come first', () => {
  assert.deepEqual(hottest(LINES, 2).map(({ line }) => line), [5, 12]);
});

test('hot spots are visited in order and wrap around', () => {
  assert.equal(hotSpot(LINES, 0, true)?.line, 5);
  assert.equal(hotSpot(LINES, 5, true)?.line, 12);
  assert.equal(hotSpot(LINES, 12, true)?.line, 5);
  assert.equal(hotSpot(LINES, 5, false)?.line, 12);
});

test('without hot spots, the hottest lines are visited', () => {
  assert.equal(hotSpot([{ line: 4, share: 0.001 }], 9, true)?.line, 4);
  assert.equal(hotSpot([], 9, true), undefined);
});
