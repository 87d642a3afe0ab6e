import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Values } from '../src/variantValues';

test('values that differ have columns, and equal ones are listed once', () => {
  const values = new Values(['TILE_M = 64, TILE_N = 32, stages = 3', 'TILE_M = 128, TILE_N = 32, stages = 4']);
  assert.equal(values.same, 'TILE_N = 32');
  assert.deepEqual(values.heads('variant'), ['<code>TILE_M</code>', '<code>stages</code>', '']);
  const cells = values.cells({ variant: 'TILE_M = 128, TILE_N = 32, stages = 4', is_now: true });
  assert.equal(cells, '<td class="number"><code>128</code></td><td class="number"><code>4</code></td><td>now</td>');
});

test('one variant alone has all its columns', () => {
  const values = new Values(['A = 1, B = f(2)']);
  assert.equal(values.same, '');
  assert.equal(values.heads('variant').length, 3);
});

test('variants that are not lists of the same names have one column, escaped', () => {
  for (const variants of [['one <b>', 'two'], ['A = 1', 'B = 1']]) {
    const values = new Values(variants);
    assert.deepEqual(values.heads('variant'), ['variant', '']);
    assert.ok(!values.cells({ variant: 'one <b>', is_now: false }).includes('<b>'));
  }
});
