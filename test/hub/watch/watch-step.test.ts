/** When incidents begin and are over: single sequences, and generated ones. */
import { describe, expect, test } from 'bun:test';
import { PACE } from '../../../src/hub/pace.ts';
import type { Incident } from '../../../src/hub/watch/incidents/reports.ts';
import {
  type Act,
  type ActKind,
  reopened,
  takeStep,
  type Watched,
} from '../../../src/hub/watch/incidents/step.ts';
import fc from '../../harness/generated.ts';

const incident = (more: Partial<Incident> = {}): Incident => ({
  event: 'upstream.down',
  subject: 'vhost 1',
  about: 'a.example',
  level: 'bad',
  message: 'no',
  problem: 'UPSTREAM_DOWN a',
  settles: 10_000,
  ...more,
});
const KEY = 'upstream.down vhost 1';
const NOTHING: Watched = { states: new Map(), beginnings: new Map() };

/** Looks every five seconds; each letter is one: `x` it is there, `.` it is not. */
function watch(looks: string, { from = NOTHING, isMoot = false, settles = 10_000, at = 0 } = {}) {
  let watched = from;
  const acts: [ActKind, number, number][] = [];
  [...looks].forEach((one, i) => {
    const elapsed = at + i * 5_000;
    const incidents = new Map(one === 'x' ? [[KEY, incident({ settles })]] : []);
    const step = takeStep(watched, { pace: PACE.watch, elapsed, incidents, isMoot: () => isMoot });
    watched = step.after;
    for (const { kind, ago } of step.acts) acts.push([kind, elapsed, ago]);
  });
  return { watched, acts, kinds: acts.map(([kind]) => kind) };
}

/** Ten minutes of looks. */
const TEN = (one: string) => one.repeat(120);

describe('nothing begins', () => {
  test.each([
    ['if it is there for one or two looks', '.x..xx..xx.'],
    ['if it comes and goes all the time', 'x.x.x.x.x.x.x.x.'],
    ['if it was never there', '.....'],
  ])('%s', (_, looks) => {
    const { acts, watched } = watch(looks);
    expect(acts).toEqual([]);
    expect(watched.beginnings.size).toBe(0);
  });

  test('that has to last longer, and does not', () => {
    expect(watch('xxxxxxx.', { settles: 40_000 }).acts).toEqual([]);
    expect(watch('xxxxxxxxx', { settles: 40_000 }).kinds).toEqual(['began']);
  });

  test('that is open already, as after a restart', () => {
    const from = { ...NOTHING, states: new Map([reopened(incident(), false, null)]) };
    expect(watch('xxxxxxxxxx', { from }).acts).toEqual([]);
  });
});

describe('nothing is over', () => {
  test('if it is away for one or two looks', () => {
    expect(watch('xxx..x.x..x').kinds).toEqual(['began']);
  });

  test('twice', () => {
    expect(watch('xxx......').kinds).toEqual(['began', 'over']);
  });
});

test('it begins at the third look and is over at the third without it; both say when that was', () => {
  expect(watch('.xxxx...').acts).toEqual([
    ['began', 15_000, 10_000],
    ['over', 35_000, 10_000],
  ]);
});

test('if there is nothing left that it is about, it is over at once', () => {
  const { watched } = watch('xxx');
  expect(watch('.', { from: watched, isMoot: true, at: 15_000 }).acts).toEqual([
    ['dropped', 15_000, 0],
  ]);
});

test('other words change it, and are no news', () => {
  const { watched } = watch('xxx');
  const worse = incident({ message: 'no, and no' });
  const look = (from: Watched) =>
    takeStep(from, {
      pace: PACE.watch,
      elapsed: 15_000,
      incidents: new Map([[KEY, worse]]),
      isMoot: () => false,
    });
  const { after, acts } = look(watched);
  expect(acts).toEqual([{ kind: 'changed', incident: worse, ago: 0 }]);
  expect(look(after).acts).toEqual([]);
});

describe('one that begins for the third time within ten minutes', () => {
  const twice = 'xxx...xxx...';

  test('flaps, and of its comings and goings nobody is told', () => {
    const { kinds } = watch(`${twice}xxx....xxxx......x...`);
    expect(kinds).toEqual([
      ...(['began', 'over', 'began', 'over', 'flapping'] as const),
      ...(['left', 'returned', 'left', 'returned', 'left'] as const),
    ]);
  });

  test('is over after ten minutes without it, and not before', () => {
    const { acts } = watch(`${twice}xxx${'.'.repeat(100)}x${'.'.repeat(119)}`);
    expect(acts.slice(-4).map(([kind]) => kind)).toEqual(['flapping', 'left', 'returned', 'left']);
    const over = watch(`${twice}xxx${TEN('.')}.`);
    expect(over.kinds.at(-1)).toBe('over');
    expect(over.acts.at(-1)?.[2]).toBe(600_000);
  });

  test('simply stays after ten minutes with it: one message, and then one when it is over', () => {
    const { kinds } = watch(`${twice}xxx.${TEN('x')}xx...`);
    expect(kinds.slice(4)).toEqual(['flapping', 'left', 'returned', 'stayed', 'over']);
  });

  test('does not, if the first time was longer ago', () => {
    const { kinds } = watch(`xxx...${TEN('.')}xxx...xxx...`);
    expect(kinds).toEqual(['began', 'over', 'began', 'over', 'began', 'over']);
  });
});

/** Looks at several problems, some seconds apart, with restarts of the hub between them. */
const looks = fc.array(
  fc.record({
    pause: fc.integer({ min: 4_500, max: 20_000 }),
    there: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
    moot: fc.boolean(),
    restarted: fc.boolean(),
  }),
  { minLength: 1, maxLength: 300 },
);

/** What the database would have kept of it. */
function restarted({ states, beginnings }: Watched): Watched {
  const open = [...states.values()].flatMap((one) => (one.phase === 'open' ? [one] : []));
  return {
    states: new Map(
      open.map(({ incident, flapping, goneSince }) =>
        reopened(incident, flapping, flapping ? goneSince : null),
      ),
    ),
    beginnings,
  };
}

test('whatever happens, each begins once and is over once, and both only after it has lasted', () => {
  fc.assert(
    fc.property(looks, (all) => {
      let watched = NOTHING;
      let elapsed = 0;
      /** By subject: whether it is open, and since when it has been there, or away, without a break. */
      const open = new Map<string, ActKind>();
      const since = new Map<string, { there: boolean; at: number }>();
      for (const { pause, there, moot, restarted: isRestart } of all) {
        elapsed += pause;
        if (isRestart) watched = restarted(watched);
        const seen = new Set(there.map((id) => `vhost ${id}`));
        for (const subject of ['vhost 0', 'vhost 1', 'vhost 2']) {
          const known = since.get(subject);
          if (known?.there !== seen.has(subject)) {
            since.set(subject, { there: seen.has(subject), at: elapsed });
          }
        }
        const incidents = new Map(
          [...seen].map((subject) => [`upstream.down ${subject}`, incident({ subject })]),
        );
        const { after, acts } = takeStep(watched, {
          pace: PACE.watch,
          elapsed,
          incidents,
          isMoot: () => moot,
        });
        watched = after;
        for (const act of acts) judge(act, moot);
      }
      function judge({ kind, incident: { subject } }: Act, moot: boolean) {
        const last = open.get(subject);
        const { there, at } = since.get(subject) ?? { there: false, at: 0 };
        if (kind === 'began' || kind === 'flapping') {
          expect([last, there]).toEqual([undefined, true]);
          expect(elapsed - at).toBeGreaterThanOrEqual(9_000);
          open.set(subject, kind);
        } else if (kind === 'over' || kind === 'dropped') {
          expect([last !== undefined, there]).toEqual([true, false]);
          if (!moot)
            expect(elapsed - at).toBeGreaterThanOrEqual(last === 'flapping' ? 599_000 : 9_000);
          open.delete(subject);
        } else {
          expect(last).toBeDefined();
          if (kind === 'changed') return;
          expect(last).toBe('flapping');
          if (kind === 'stayed') open.set(subject, 'began');
        }
      }
      const isOpen = [...watched.states.values()].filter(({ phase }) => phase === 'open').length;
      expect(isOpen).toBe(open.size);
    }),
    { numRuns: 300 },
  );
});

test('however it came about, what stays is reported, and what is away for long is over', () => {
  fc.assert(
    fc.property(looks, fc.boolean(), (all, there) => {
      let watched = NOTHING;
      let elapsed = 0;
      const step = (isThere: boolean, pause: number) => {
        elapsed += pause;
        const incidents = new Map(isThere ? [[KEY, incident()]] : []);
        watched = takeStep(watched, {
          pace: PACE.watch,
          elapsed,
          incidents,
          isMoot: () => false,
        }).after;
      };
      for (const { pause, there: seen } of all) step(seen.includes(1), pause);
      for (let i = 0; i < 122; i++) step(there, 5_000);
      const state = watched.states.get(KEY);
      expect(state?.phase).toBe(there ? 'open' : undefined);
      if (state?.phase === 'open') expect(state.flapping).toBe(false);
    }),
    { numRuns: 100 },
  );
});
