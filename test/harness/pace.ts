/** The pace of tests: a tenth of the real one, so that nobody waits for an interval. */
import { PACES, type Paces } from '../../src/program/serve/running.ts';
import { SLOWNESS } from './speed.ts';

type Intervals = number | readonly Intervals[] | { readonly [name: string]: Intervals };

/** Of the real intervals; a slow machine would do nothing but what is due again. */
export const SHARE = Math.min(1, SLOWNESS / 10);

/** All intervals, each multiplied. */
export function multiplied(pace: Paces, by: number): Paces {
  const of = (one: Intervals): Intervals => {
    if (typeof one === 'number') return one * by;
    if (Array.isArray(one)) return one.map(of);
    return Object.fromEntries(Object.entries(one).map(([name, value]) => [name, of(value)]));
  };
  return of(pace as unknown as Intervals) as unknown as Paces;
}

/** No site is asked for its icon, but by those who test that: some tests count its requests. */
const WITHOUT_ICONS = { icons: { look: 3_600_000 } };

const TENTH = multiplied(PACES, SHARE);
export const QUICK: Paces = { ...TENTH, hub: { ...TENTH.hub, own: WITHOUT_ICONS } };

/** Nothing is done twice by itself: for whoever looks at what requests do. */
export const STILL: Paces = multiplied(PACES, 1_000);

const RESTING = { ...WITHOUT_ICONS, uptime: { second: 3_600_000 } };

/** `bun test` says so. Benches use the same harness, and measure the program as it is. */
export const IS_TEST = process.env.NODE_ENV === 'test';

/**
 * What is started without a wish: who does not wait for messages has a watcher that rests, as its looks
 * cost more than all else, and no site is asked between changes, as some tests count its requests. What
 * comes next in cost, for each second of each stack, is done less often: the comparison of proxy and
 * hub, and the look whether Caddy runs.
 */
export const USUAL: Paces = IS_TEST
  ? {
      hub: { ...QUICK.hub, watch: PACES.hub.watch, reconcile: 600, own: RESTING },
      agent: { ...QUICK.agent, supervise: { ...QUICK.agent.supervise, poll: 200 } },
    }
  : PACES;
