/** Writes locations in the order in which nginx chooses one. Pure. */

import { literally } from '../../../../hub/recipes/quote.ts';
import { tabbed } from './answers.ts';
import type { Findings } from './findings.ts';
import type { Place } from './locations.ts';
import { beforeLineFeed, regexWord } from './regex.ts';
import { matcher } from './rules.ts';

type Written = { lines: string[]; isSimple: boolean };
type Fixed = { modifier: '=' | '^~' | ''; path: string };

const fixed = ({ matched }: Place): Fixed | null => ('path' in matched ? matched : null);

const startsWith = (place: Place, other: Place): boolean =>
  fixed(place)?.path.startsWith(fixed(other)?.path ?? '\0') ?? false;

const longestFirst = (a: Place, b: Place): number =>
  (fixed(b)?.path.length ?? 0) - (fixed(a)?.path.length ?? 0);

/**
 * The places as `handle` blocks.
 * @returns with `isSimple`, whether they mean the same in any order
 */
export function inOrder(places: readonly Place[], findings: Findings): Written {
  const all = [...places, ...places.flatMap((place) => slashed(place, places))];
  const like = (modifier: string) =>
    all.filter((place) => fixed(place)?.modifier === modifier).sort(longestFirst);
  const patterns = all.filter((place) => fixed(place) === null);
  const prefixes = [...like('^~'), ...like('')];
  const ordered =
    patterns.length === 0
      ? [...like('='), ...prefixes.sort(longestFirst)]
      : [...like('='), ...like('^~'), ...patterns, ...like('')];
  // Among these, Caddy would choose by length alone.
  let isSimple = !like('=').some((exact) =>
    all.some((other) => other !== exact && startsWith(exact, other) && fixed(other)?.path !== '/'),
  );
  const lines = ordered.flatMap((place) => {
    const { head, by } = matcherOf(place, all, findings);
    if (head.length > 0) isSimple = false;
    return [...head, `handle${by} {`, ...tabbed(place.lines), '}'];
  });
  return { lines, isSimple };
}

/** For a path that ends in a slash, nginx redirects from the same without it. */
function slashed(place: Place, places: readonly Place[]): Place[] {
  const { path = '', modifier } = fixed(place) ?? {};
  const bare = path.slice(0, -1);
  if (!place.forwards || !path.endsWith('/') || bare === '' || !isCaddyPath(path)) return [];
  const isTaken = places.some((other) => fixed(other)?.path === bare);
  const isTwice =
    modifier !== '=' &&
    places.some((other) => other !== place && other.forwards && fixed(other)?.path === path);
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
  const own = fixed(place);
  if (own === null && 'pattern' in place.matched) {
    const { name, pattern } = place.matched;
    const word = regexWord(place.refuses ? beforeLineFeed(pattern) : pattern);
    return { head: [`@${name} path_regexp ${name} ${word}`], by: ` @${name}` };
  }
  const { path, modifier } = own ?? { path: '/', modifier: '' };
  const hasPatterns = all.some((other) => fixed(other) === null);
  // A regular expression is only outdone by the longest prefix.
  const longer =
    modifier === '^~' && hasPatterns
      ? all.flatMap((other) => {
          const { modifier: theirs, path: longer = '' } = fixed(other) ?? {};
          return theirs === '' && longer !== path && longer.startsWith(path) ? [longer] : [];
        })
      : [];
  if (longer.length === 0) {
    if (path === '/' && modifier !== '=') return { head: [], by: '' };
    if (isCaddyPath(path) && !isCased(place, all)) {
      return { head: [], by: ` ${path}${modifier === '=' ? '' : '*'}` };
    }
  }
  const name = findings.name('location');
  const end = modifier === '=' ? '$' : '';
  return {
    head: matcher(name, [
      `path_regexp ${regexWord(`^${literally(path)}${end}`)}`,
      ...longer.map((one) => `not path_regexp ${regexWord(`^${literally(one)}`)}`),
    ]),
    by: ` @${name}`,
  };
}

/**
 * Whether the case of a path matters, which Caddy's `path` ignores: what nginx would refuse elsewhere must
 * not be let in here.
 */
function isCased(place: Place, all: readonly Place[]): boolean {
  const { path = '', modifier } = fixed(place) ?? {};
  const lower = path.toLowerCase();
  return all.some((other) => {
    if (other === place) return false;
    const theirs = fixed(other)?.path;
    if (theirs === undefined) return other.refuses && modifier !== '';
    if (theirs.toLowerCase() === lower) return theirs !== path;
    return other.refuses && lower.startsWith(theirs.toLowerCase());
  });
}
