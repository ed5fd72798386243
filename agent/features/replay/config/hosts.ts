/** Which routes of a server may answer to a host. Pure. */
import type { Json } from '../../../../src/shared/json.ts';
import { covers, matches, nameOf, namesOf } from '../../../sites/live-sites.ts';
import type { Needs } from './needs.ts';

export type Route = { names: ReadonlySet<string>; needs: Needs };

/** Of the routes of a server, those that may answer to one of the hosts. */
export function concern(hosts: readonly string[] | null): (names: ReadonlySet<string>) => boolean {
  if (hosts === null || hosts.includes('')) return () => true;
  const exact = new Set(hosts.map(nameOf));
  const patterns = [...exact].filter((host) => host.includes('*'));
  return (names) =>
    [...names].some(
      (name) =>
        name === '' ||
        name.includes('{') ||
        exact.has(name) ||
        patterns.some((host) => covers(host, name)) ||
        (name.includes('*') && [...exact].some((host) => covers(name, host))),
    );
}

/** Whether it is for certain hosts. */
export const isNamed = (route: Json): boolean => !namesOf(route).has('');

/** Finds the routes for a host: by name, as there may be thousands. */
export function finderOf<R extends Pick<Route, 'names'>>(
  routes: readonly R[],
): (host: string) => R[] {
  const exact = new Map<string, number[]>();
  const others: { at: number; names: readonly (readonly string[])[] }[] = [];
  for (const [at, { names }] of routes.entries()) {
    const wild = [...names].filter((name) => name === '' || /\{|.\*/.test(name));
    if (wild.length > 0) others.push({ at, names: wild.map((name) => name.split('.')) });
    for (const name of names) exact.set(name, [...(exact.get(name) ?? []), at]);
  }
  return (host) => {
    const name = nameOf(host);
    const labels = name.split('.');
    const isFor = (one: readonly string[]) =>
      one.join('') === '' || one.some((label) => label.includes('{')) || matches(one, labels);
    const found = others.flatMap(({ at, names }) => (names.some(isFor) ? at : []));
    // Nearly all patterns have one asterisk, at their start.
    const wider = ['*', ...labels.slice(1)].join('.');
    const all = new Set([...(exact.get(name) ?? []), ...(exact.get(wider) ?? []), ...found]);
    return [...all].flatMap((at) => routes[at] ?? []);
  };
}

/** Remembers what was found of each host. */
export function memoized<T>(of: (host: string) => T): (host: string) => T {
  const known = new Map<string, T>();
  return (host) => {
    const found = known.get(host) ?? of(host);
    known.set(host, found);
    return found;
  };
}
