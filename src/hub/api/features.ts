/** What the hub tells the parts of features, and asks of them, whichever there are. */
import { Failure } from '../../shared/failure.ts';
import type { HubObserver, HubPart, PartWarning, StartReplay, WithWarnings } from '../core.ts';
import { type Warning, warned } from '../http/schemas.ts';
import type { ProblemView } from '../watch/problem.ts';
import type { WarningsAfter } from '../watch/sites/states.ts';

/** Tells all parts. Asks for them only once something happens, when they are there. */
export function observeWith(parts: () => readonly HubPart[]): HubObserver {
  const all = () => parts().flatMap((part) => part.observe ?? []);
  return {
    request(seen) {
      for (const { request } of all()) request(seen);
    },
    publish(seen) {
      for (const { publish } of all()) publish(seen);
    },
    signInFailed(reason) {
      for (const { signInFailed } of all()) signInFailed(reason);
    },
  };
}

/** Without a feature that replays requests, none is. */
export const startReplayOf = (parts: readonly HubPart[]): StartReplay =>
  parts.find((part) => part.startReplay)?.startReplay ??
  (async () => {
    throw new Failure('INVALID_REQUEST', 'This hub cannot replay requests.', {
      at: { field: 'replay' },
    });
  });

/** The same problems with why they are there, as far as parts know that. */
export function withCauses<One extends ProblemView>(
  problems: readonly One[],
  parts: readonly HubPart[],
): One[] {
  const known = parts.flatMap(({ causes }) => [...(causes?.(problems) ?? [])]);
  const byKey = new Map(known);
  return problems.map((one) => ({ ...one, ...byKey.get(one.key) }));
}

/** The warnings of the core with those of parts, which are asked at the same time; no fault is said twice. */
export const warningsWith =
  (own: WarningsAfter, parts: readonly HubPart[]): WarningsAfter =>
  async (vhosts) => {
    const asked = parts.flatMap(({ warnings }) => warnings?.(vhosts) ?? []);
    const [first, ...others] = await Promise.all([own(vhosts), ...asked]);
    const ids = new Set([first, ...others].flatMap((one) => [...one.keys()]));
    return new Map(
      [...ids].map((id) => [
        id,
        joined(
          first.get(id) ?? [],
          others.flatMap((one) => one.get(id) ?? []),
        ),
      ]),
    );
  };

/** As many as can be changed one by one in a request. */
const MOST_CHANGED = 1_000;

export const createWithWarnings =
  (warningsAfter: WarningsAfter): WithWarnings =>
  async (answer, changed) => {
    const vhosts = changed.slice(0, MOST_CHANGED);
    const found = await warningsAfter(vhosts);
    const { warnings: said = [] } = answer;
    const isSaid = ({ code, message }: Warning) =>
      said.some((one) => one.code === code && one.message.endsWith(message));
    const more = vhosts.flatMap(({ id, domain }) =>
      (found.get(id) ?? [])
        .filter((one) => !isSaid(one))
        .map((one) => ({ ...one, message: `${domain}: ${one.message}` })),
    );
    return { ...answer, ...warned([...said, ...more]) };
  };

function joined(own: readonly Warning[], more: readonly PartWarning[]): Warning[] {
  const codes = new Set(own.map(({ code }) => code));
  const added = more.filter(({ unless = [] }) => !unless.some((code) => codes.has(code)));
  const replaced = new Set(added.flatMap(({ replaces = [] }) => replaces));
  return [
    ...own.filter(({ code }) => !replaced.has(code)),
    ...added.map(({ replaces: _, unless: __, ...warning }) => warning),
  ];
}
