/** What is there as far as anybody knows: what nobody can tell now is as it was. Pure. */
import { said } from '../saying.ts';
import { agentIdOf, HUB, keyOf, type Report, type Sighting, vhostIdOf } from './reports.ts';

/** `name` is that of who reported it; null if that was before the hub was started. */
type Held = Readonly<{ sighting: Sighting; name: string | null }>;

/** What each agent, and the hub, reported last; by `keyOf`. */
export type Memory = ReadonlyMap<number, ReadonlyMap<string, Held>>;

/**
 * What the first look continues: any of those that may say so may have reported an open incident.
 * @param open the incidents that are not over
 */
export const rememberOpen = (open: readonly Sighting[], reports: readonly Report[]): Memory =>
  new Map(
    reports.map(({ of }) => [
      of,
      new Map(
        open.flatMap((sighting): [string, Held][] =>
          isFor(sighting, of) ? [[keyOf(sighting), { sighting, name: null }]] : [],
        ),
      ),
    ]),
  );

function isFor({ subject }: Sighting, of: number): boolean {
  if (vhostIdOf(subject) !== null) return of !== HUB;
  return (agentIdOf(subject) ?? HUB) === of;
}

export const remember = (before: Memory, reports: readonly Report[]): Memory =>
  new Map(
    reports.map((report) => {
      const now = new Map<string, Held>();
      for (const [key, held] of before.get(report.of) ?? []) {
        if (report.isUnknown(held.sighting)) now.set(key, held);
      }
      for (const sighting of report.present) {
        const key = keyOf(sighting);
        // The worst comes first.
        if (!now.has(key) || now.get(key) === before.get(report.of)?.get(key)) {
          now.set(key, { sighting, name: report.name });
        }
      }
      return [report.of, now];
    }),
  );

/** What several agents report of a site is one sighting, that says whose proxies it is about. */
export function sightingsIn(memory: Memory): Map<string, Sighting> {
  const all = [...memory.values()].flatMap((one) => [...one]);
  const groups = Map.groupBy(all, ([key]) => key);
  return new Map(
    [...groups].flatMap(([key, same]) => {
      const held = same.map(([, one]) => one);
      const [first] = held;
      return first ? [[key, together(first, held)]] : [];
    }),
  );
}

function together(first: Held, held: readonly Held[]): Sighting {
  const fresh = held.filter(({ name }) => name !== null);
  const [worst = first] = fresh.toSorted((a, b) => (a.sighting.level < b.sighting.level ? -1 : 1));
  const settles = Math.min(...held.map(({ sighting }) => sighting.settles));
  const isSite = vhostIdOf(worst.sighting.subject) !== null;
  if (!isSite || !worst.name) return { ...worst.sighting, settles };
  const texts = Map.groupBy(fresh, ({ sighting }) => sighting.message);
  const message = [...texts]
    .map(([text, who]) => said({ names: who.flatMap(({ name }) => name ?? []), message: text }))
    .join(' ');
  return { ...worst.sighting, settles, message };
}
