/** What the bell and its page say of incidents. */
import { describe, expect, test } from 'bun:test';
import { endOf, lasting, subjectOf } from '../../src/web/incidents/words.ts';
import type { Incident } from '../../src/web/lib/types.ts';

const NOW = new Date(2026, 10, 21, 14, 0);
const at = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000).toISOString();

describe('an incident', () => {
  const incident = (change: Partial<Incident> = {}): Incident => ({
    id: 1,
    event: 'disk.full',
    level: 'warn',
    message: '',
    beganAt: at(0),
    overAt: null,
    flapping: false,
    ...change,
  });

  test('leads to its site, to its proxy or to where it can be looked into', () => {
    const vhost = { id: 7, domain: 'a.example' };
    expect(subjectOf(incident({ vhost, agent: 'vps' }))).toEqual({
      name: 'a.example',
      to: '/sites/7',
    });
    expect(subjectOf(incident({ agent: 'vps' }))).toEqual({ name: 'vps', to: '/proxies/vps' });
    expect(subjectOf(incident({ event: 'drift' })).to).toBe('/import');
    expect(subjectOf(incident())).toEqual({ name: 'Disk', to: null });
  });

  test.each([
    [0.5, 'less than a minute'],
    [1, '1 minute'],
    [119, '1 hour'],
    [3 * 1440, '3 days'],
  ])('that lasted %p minutes says so', (minutes, words) => {
    expect(lasting(at(0), at(minutes))).toBe(words);
  });
});

test('an incident of a site that was turned off was not resolved', () => {
  const incident = { event: 'upstream.down', beganAt: at(-3), overAt: at(0) } as Incident;
  expect(endOf(incident, at(0))).toBe('resolved after 3 minutes');
  expect(endOf({ ...incident, dropped: true }, at(0))).toBe('no longer watched after 3 minutes');
});
