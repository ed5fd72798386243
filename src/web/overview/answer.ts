/** Whether the house is fine, in a sentence. Pure. */
import { plural } from '../lib/format.ts';
import type { Problem, SiteState, Status, Vhost } from '../lib/types.ts';
import { type Health, healthOf, outagesIn, reportedProblems } from '../sites/problem.ts';
import { countedIn, levelOf } from '../status/problems.ts';

type Answer = { state: 'clear' | 'caution' | 'danger'; words: string };

/** A site, and how it is. */
export type Tile = { site: Vhost; health: Health };

/** @param states by the site's id */
export function tilesOf(
  sites: readonly Vhost[],
  status: Status | null,
  states: ReadonlyMap<number, SiteState>,
): Tile[] {
  const reported = reportedProblems(status);
  const outages = outagesIn(status);
  return sites.map((site) => {
    const health = healthOf(site, reported.get(site.id), states.get(site.id), outages);
    return { site, health };
  });
}

const LOOKING: Answer = { state: 'caution', words: 'Looking at your sites …' };

/**
 * @param tiles of all sites; undefined while they are not known
 * @param status null while it is not known
 */
export function answerOf(tiles: readonly Tile[] | undefined, status: Status | null): Answer {
  if (!tiles || !status) return LOOKING;
  const on = tiles.filter(({ site }) => site.enabled);
  const problems = countedIn(status.problems);
  const state = stateOf(on, problems);
  const parts = partsOf(on);
  if (on.length === 0) {
    const none = tiles.length === 0 ? 'There are no sites yet.' : 'No site is on.';
    return { state, words: none + ofOthers(problems) };
  }
  if (parts.unknown === on.length) {
    return state === 'danger'
      ? { state, words: `Nobody knows how your ${plural(on.length, 'site')} ${be(on.length)}.` }
      : LOOKING;
  }
  if (parts.bad > 0) {
    const rest = parts.unknown > 0 ? `, and ${parts.unknown} not known yet` : '';
    return { state, words: `${share(parts.bad, on.length)} ${failureOf(on)}${rest}.` };
  }
  const rest = [
    ...some(parts.warn, on, 'with a problem'),
    ...some(parts.known, on, 'with a known problem'),
    ...some(parts.unknown, on, 'not known yet'),
  ];
  const up = share(on.length - parts.known - parts.unknown, on.length);
  const words = [`${up} up${rest.length === 0 ? placeOf(on, status) : ''}`, ...rest].join(', ');
  return { state, words: `${words}.${parts.warn > 0 ? '' : ofOthers(problems)}` };
}

function stateOf(on: readonly Tile[], problems: readonly Problem[]): Answer['state'] {
  const levels = new Set(on.map(({ health }) => health.level));
  if (levels.has('bad') || levelOf(problems) === 'bad') return 'danger';
  const isOpen = levels.has('warn') || levels.has('unknown') || problems.length > 0;
  return isOpen ? 'caution' : 'clear';
}

/** How many of the sites that are on are of each kind; `known`: somebody knows that they fail. */
function partsOf(on: readonly Tile[]) {
  const of = (level: Health['level']) => on.filter(({ health }) => health.level === level).length;
  return { bad: of('bad'), warn: of('warn'), unknown: of('unknown'), known: of('off') };
}

/** `2 with a problem`; of a single site, without its number. */
function some(count: number, { length }: readonly Tile[], words: string): string[] {
  if (count === 0) return [];
  return [length === 1 ? words : `${count} ${words}`];
}

const be = (count: number) => (count === 1 ? 'is' : 'are');

/** `All 27 sites are`, `Both sites are`, `3 of 27 sites are`, `Your site is`. */
function share(some: number, all: number): string {
  if (all === 1) return some === 1 ? 'Your site is' : 'Your site is not';
  if (some < all) return `${some} of ${plural(all, 'site')} ${be(some)}`;
  return all === 2 ? 'Both sites are' : `All ${plural(all, 'site')} are`;
}

/** What the list calls those that fail, if it is the same of all: `down on vps`. */
function failureOf(on: readonly Tile[]): string {
  const labels = new Set(
    on.flatMap(({ health: { level, label } }) => (level === 'bad' ? label : [])),
  );
  const [label = ''] = labels;
  return labels.size === 1 && label.startsWith('down') ? label : 'failing';
}

/** Where they are up, if all are on all of several proxies. */
function placeOf(on: readonly Tile[], { agents }: Status): string {
  const isEverywhere = on.every(
    ({ site }) => site.agents.length === 0 || site.agents.length === agents.length,
  );
  if (agents.length < 2 || !isEverywhere) return '';
  return agents.length === 2 ? ' on both proxies' : ` on all ${agents.length} proxies`;
}

/** What is wrong although no site fails. */
const ofOthers = ({ length }: readonly Problem[]): string =>
  length === 0 ? '' : ` ${plural(length, 'problem')} ${length === 1 ? 'needs' : 'need'} a look.`;

const LEVELS = ['bad', 'warn', 'unknown', 'good', 'off'] as const;

/** Those that fail first, what no proxy serves before what some do; else as they were. */
export const worstTilesFirst = (tiles: readonly Tile[]): Tile[] => {
  const weight = ({ health }: Tile) => LEVELS.indexOf(health.level) + (health.isPartly ? 0.5 : 0);
  return tiles.toSorted((a, b) => weight(a) - weight(b));
};
