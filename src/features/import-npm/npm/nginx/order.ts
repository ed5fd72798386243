/** Writes locations in the order in which nginx chooses one. Pure. */

import { literally } from '../../../../hub/recipes/quote.ts';
import { regexWord, tabbed } from './answers.ts';
import type { Findings } from './findings.ts';
import type { Place } from './locations.ts';

type Written = { lines: string[]; isSimple: boolean };

const longestFirst = (a: Place, b: Place): number => b.matched.path.length - a.matched.path.length;

const isExact = ({ matched }: Place): boolean => matched.modifier === '=';

/**
 * The places as `handle` blocks.
 * @returns with `isSimple`, whether they mean the same in any order
 */
export function inOrder(places: readonly Place[], findings: Findings): Written {
  const all = [...places, ...places.flatMap((place) => slashed(place, places))];
  const exacts = all.filter(isExact).sort(longestFirst);
  const prefixes = all.filter((place) => !isExact(place)).sort(longestFirst);
  // Among these, Caddy would choose by length alone.
  let isSimple = !exacts.some((exact) =>
    all.some(
      (other) =>
        other !== exact &&
        other.matched.path !== '/' &&
        exact.matched.path.startsWith(other.matched.path),
    ),
  );
  const lines = [...exacts, ...prefixes].flatMap((place) => {
    const { head, by } = matcherOf(place, all, findings);
    if (head.length > 0) isSimple = false;
    return [...head, `handle${by} {`, ...tabbed(place.lines), '}'];
  });
  return { lines, isSimple };
}

/** For a path that ends in a slash, nginx redirects from the same without it. */
function slashed(place: Place, places: readonly Place[]): Place[] {
  const { path } = place.matched;
  const bare = path.slice(0, -1);
  if (!place.forwards || !path.endsWith('/') || bare === '' || !isCaddyPath(path)) return [];
  const isTaken = places.some((other) => other.matched.path === bare);
  const isTwice =
    !isExact(place) &&
    places.some((other) => other !== place && other.forwards && other.matched.path === path);
  if (isTaken || isTwice) return [];
  const redirect = [`rewrite * ${path}`, 'redir * {scheme}://{hostport}{uri} 301'];
  return [
    {
      matched: { modifier: '=', path: bare },
      lines: ['route {', ...tabbed(redirect), '}'],
      refuses: false,
      forwards: false,
    },
  ];
}

/** Whether Caddy's matcher `path` reads it as plain text. */
const isCaddyPath = (path: string): boolean =>
  /^\/[\w.~/@:,;=!-]*$/.test(path) && !/\/\.{0,2}\//.test(path);

/** What comes before the `handle` of a place, and what it is followed by. */
function matcherOf(
  place: Place,
  all: readonly Place[],
  findings: Findings,
): { head: string[]; by: string } {
  const { path } = place.matched;
  const isOne = isExact(place);
  if (path === '/' && !isOne) return { head: [], by: '' };
  if (isCaddyPath(path) && !isCased(place, all)) {
    return { head: [], by: ` ${path}${isOne ? '' : '*'}` };
  }
  const name = findings.name('location');
  const pattern = regexWord(`^${literally(path)}${isOne ? '$' : ''}`);
  return { head: [`@${name} path_regexp ${pattern}`], by: ` @${name}` };
}

/**
 * Whether the case of a path matters, which Caddy's `path` ignores: what nginx would refuse elsewhere must
 * not be let in here.
 */
function isCased({ matched: { path } }: Place, all: readonly Place[]): boolean {
  const lower = path.toLowerCase();
  return all.some(({ matched: { path: theirs }, refuses }) => {
    if (theirs === path) return false;
    if (theirs.toLowerCase() === lower) return true;
    return refuses && lower.startsWith(theirs.toLowerCase());
  });
}
