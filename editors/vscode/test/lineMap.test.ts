import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineMap } from '../src/lineMap';

/** Two functions: lines 2 to 5 and 6 to 9 of the source, 10 to 19 and 20 to 29 of the listing. */
const made = (): LineMap =>
  new LineMap(
    [
      [11, 3],
      [13, 4],
      [15, 3],
      [21, 7],
    ],
    [
      { name: 'a', listing: [10, 20], source: [2, 6] },
      { name: 'b', listing: [20, 30], source: [6, 10] },
    ],
  );

test('a line has its counterparts', () => {
  assert.deepEqual(made().others('source', 3), [11, 15]);
  assert.deepEqual(made().others('listing', 15), [3]);
  assert.deepEqual(made().others('source', 5), []);
});

test('a line without a counterpart is level with the one above it in its function', () => {
  assert.equal(made().beside('source', 5), 13);
  assert.equal(made().beside('listing', 14), 4);
  assert.equal(made().beside('source', 2), 10);
  assert.equal(made().beside('source', 6), 20);
  assert.equal(made().beside('source', 0), undefined);
  assert.equal(made().beside('listing', 9), undefined);
});

test('an edit moves the lines after it and drops those that it changed', () => {
  const map = made();
  assert.equal(map.isOvertaken, false);
  map.edited(4, 5, 3);
  assert.equal(map.isOvertaken, true);
  assert.deepEqual(map.others('listing', 13), []);
  assert.deepEqual(map.others('listing', 11), [3]);
  assert.deepEqual(map.others('listing', 21), [9]);
  assert.equal(map.beside('source', 7), 15 - 4);
  assert.equal(map.beside('source', 8), 20);
});
