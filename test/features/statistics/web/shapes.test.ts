/** The shapes of a plot. */
import { describe, expect, test } from 'bun:test';
import {
  columnsOf,
  lineOf,
  panelOf,
  yOf,
} from '../../../../src/features/statistics/web/plots/shapes.ts';

const panel = { top: 10, height: 100, most: 1000 };

test('a panel without values has a height, and 0 at its bottom', () => {
  expect(panelOf(0, 50, [null, 0])).toEqual({ top: 0, height: 50, most: 1 });
  expect(yOf(panel, 0)).toBe(110);
  expect(yOf(panelOf(0, 50, [10, null, 3]), 10)).toBeGreaterThan(0);
});

describe('columns', () => {
  test('are not drawn for a class without requests', () => {
    expect(columnsOf([[0], [0]], [50], 20, panel)).toEqual(['', '']);
    expect(columnsOf([[500], [500]], [50], 20, panel)[1]).toBe('');
  });

  test('stand on those below them, and a single request is seen beside a thousand', () => {
    expect(columnsOf([[500], [1000], [1001]], [50], 20, { ...panel, most: 1001 })).toEqual([
      'M42 110V60h17V110z',
      'M42 60V10h17V60z',
      'M42 10V9h17V10z',
    ]);
  });

  test('have a width however many there are, and are not too wide alone', () => {
    expect(columnsOf([[1000]], [50], 0.2, panel)).toEqual(['M50 110V10h1V110z']);
    expect(columnsOf([[1000]], [50], 500, panel)).toEqual(['M20 110V10h60V110z']);
  });
});

describe('a line', () => {
  test('has a gap where there is no value', () => {
    expect(lineOf([0, 1000, null, 500, 500], [1, 2, 3, 4, 5], panel)).toBe('M1 110L2 10M4 60L5 60');
  });

  test('is a dash for a value without neighbours, and nothing without values', () => {
    expect(lineOf([null, 500, null], [1, 2, 3], panel)).toBe('M0 60h4');
    expect(lineOf([null, null], [1, 2], panel)).toBe('');
  });
});
