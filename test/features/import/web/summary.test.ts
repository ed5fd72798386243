/** Summaries of what an import will change. */
import { describe, expect, test } from 'bun:test';
import {
  conflictsOf,
  firstChoices,
  importSummary,
} from '../../../../src/features/import/web/summary.ts';

describe('an import', () => {
  const part = (name: string, state: 'same' | 'differs' | 'new' | 'kept') => ({
    name,
    state,
    diff: '',
    side: 'keep' as const,
  });
  const planned = (domain: string, action: 'create' | 'keep' | 'skip') => ({
    domain,
    action,
    diff: '',
    vhosts: [],
  });
  const merge = {
    sites: [planned('a', 'create'), planned('b', 'keep'), planned('c', 'skip')],
    preamble: [part('email', 'differs'), part('debug', 'new'), part('log', 'kept')],
  };

  test('replaces nothing at first, unless the hub has no sites', () => {
    const conflicts = conflictsOf(merge);
    expect([conflicts.parts, conflicts.sites]).toMatchObject([
      [{ name: 'email' }],
      [{ domain: 'c' }],
    ]);
    expect(firstChoices(conflicts, true)).toEqual({ sides: { email: 'keep' }, replace: [] });
    expect(firstChoices(conflicts, false)).toEqual({ sides: { email: 'file' }, replace: [] });
  });

  test('is summed up with what was chosen', () => {
    const first = firstChoices(conflictsOf(merge), true);
    expect(importSummary(merge, first)).toEqual({
      added: 1,
      same: 1,
      replaced: 0,
      preamble: ['Added to the Caddy options: debug.'],
      isEmpty: false,
    });
    expect(importSummary(merge, { sides: { email: 'file' }, replace: ['c'] })).toEqual({
      added: 1,
      same: 1,
      replaced: 1,
      preamble: ['Added to the Caddy options: debug.', 'Replaced in the Caddy options: email.'],
      isEmpty: false,
    });
    const preamble = [part('log', 'kept'), part('email', 'same')];
    expect(importSummary({ sites: [], preamble }, first)).toMatchObject({
      preamble: ['The Caddy options stay the same.'],
      isEmpty: true,
    });
  });
});
