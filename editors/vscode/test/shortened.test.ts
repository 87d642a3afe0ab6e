import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortened } from '../src/shortened';

test('a line that fits is unchanged', () => {
  assert.equal(shortened('', 10), '');
  assert.equal(shortened('46 cycles', 9), '46 cycles');
});

test('a line that does not fit ends after a whole word', () => {
  assert.equal(shortened('46 cycles, one warp', 18), '46 cycles, one…');
  assert.equal(shortened('46 cycles, one warp', 12), '46 cycles…');
  assert.equal(shortened('46 cycles (pipeline)', 14), '46 cycles…');
  assert.equal(shortened('46 cycles and more', 10), '46 cycles…');
});

test('a word that is too long is cut', () => {
  assert.equal(shortened('0123456789', 5), '0123…');
});

test('no line is longer than the limit', () => {
  const line = 'cycles unknown: a branch leaves the selection at 0x00b0 (pipeline, H100 SXM5 80 GB)';
  for (let most = 2; most <= line.length + 1; most++) {
    assert.ok(shortened(line, most).length <= most, `${most}`);
  }
});
