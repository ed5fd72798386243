/** What is there as far as anybody knows: what nobody can tell now is as it was. Pure. */
import { saying } from '../problem.ts';
import { agentIdOf, HUB, type Incident, keyOf, type Report, vhostIdOf } from './reports.ts';

/** `label` is that of who reported it; null if that was before the hub was started. */
type Held = Readonly<{ incident: Incident; label: string | undefined | null }>;

/** What each agent, and the hub, reported last; by `keyOf`. */
export type Memory = ReadonlyMap<number, ReadonlyMap<string, Held>>;

/**
 * What the first look continues: any of those that may say so may have reported an open incident.
 * @param open the incidents that are not over
 */
export const rememberOpen = (open: readonly Incident[], reports: readonly Report[]): Memory =>
  new Map(
    reports.map(({ of }) => [
      of,
      new Map(
        open.flatMap((incident): [string, Held][] =>
          isFor(incident, of) ? [[keyOf(incident), { incident, label: null }]] : [],
        ),
      ),
    ]),
  );

function isFor({ subject }: Incident, of: number): boolean {
  if (vhostIdOf(subject) !== null) return of !== HUB;
  return (agentIdOf(subject) ?? HUB) === of;
}

export const remember = (before: Memory, reports: readonly Report[]): Memory =>
  new Map(
    reports.map((report) => {
      const now = new Map<string, Held>();
      for (const [key, held] of before.get(report.of) ?? []) {
        if (report.isUnknown(held.incident)) now.set(key, held);
      }
      for (const incident of report.present) {
        const key = keyOf(incident);
        // The worst comes first.
        if (!now.has(key) || now.get(key) === before.get(report.of)?.get(key)) {
          now.set(key, { incident, label: report.label });
        }
      }
      return [report.of, now];
    }),
  );

/** What several agents report of a site is one incident, that says whose proxies it is about. */
export function incidentsIn(memory: Memory): Map<string, Incident> {
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

function together(first: Held, held: readonly Held[]): Incident {
  const fresh = held.flatMap(({ label, incident }) => (label === null ? [] : { label, incident }));
  const [worst = first] = fresh.toSorted((a, b) => (a.incident.level < b.incident.level ? -1 : 1));
  const settles = Math.min(...held.map(({ incident }) => incident.settles));
  // What is about an agent is shown with its name anyway.
  if (fresh.length === 0 || vhostIdOf(worst.incident.subject) === null) {
    return { ...worst.incident, settles };
  }
  const each = fresh.map(({ label, incident: { message } }) => ({ label, message }));
  return { ...worst.incident, settles, message: saying(each).join(' ') };
}
