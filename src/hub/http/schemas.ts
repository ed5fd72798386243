/** Schemas that the responses of several features share. */
import { type Static, t } from 'elysia';
import { clip, oneLine } from '../../shared/one-line.ts';
import type { StillOpen } from '../../shared/wire/proxy.ts';

/** A point in time, as in every response. */
export const Timestamp = t.String({
  format: 'date-time',
  description: 'ISO 8601 UTC with milliseconds',
});

/** The response of a route with nothing else to say. */
export const Success = t.Object({ success: t.Literal(true) }, { title: 'Success' });

const Behind = {
  behind: t.Optional(
    t.Array(t.String(), {
      description:
        'the unreachable agents: their proxies serve their previous sites until the agents return',
    }),
  ),
};

/** What the answer to a change has besides. */
export const Lacking = t.Object(Behind);

/** The field that names who lacks a change, if anybody does. */
export const lacking = (behind: readonly string[]): { behind?: string[] } =>
  behind.length > 0 ? { behind: [...behind] } : {};

/** What to do about a fault whose cause is known. */
export const CureView = t.Object(
  {
    words: t.String({ description: 'what to do, for people' }),
    operation: t.Union([t.Record(t.String(), t.Unknown()), t.Null()], {
      description: 'the change that does it, as of `/preview`; null: it is done elsewhere',
    }),
  },
  { description: 'if the cause is known' },
);

/** What a visitor of a live vhost would notice. */
export const Warning = t.Object(
  {
    code: t.String({ examples: ['UPSTREAM_DOWN'] }),
    message: t.String({ description: 'one sentence, for people' }),
    cure: t.Optional(CureView),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;

const Noted = {
  warnings: t.Optional(
    t.Array(Warning, {
      description:
        'the sites whose checks ran only once the change was live (`NOT_TRIED`), websockets that stay open (`STILL_OPEN`), and of `/apply` and an import what visitors of the changed sites would notice or what can hardly be meant',
    }),
  ),
};

/** What the answer to a change has besides, if it is not of a vhost. */
export const Outcome = t.Object({ ...Behind, ...Noted });

/** What the answer to a dry run has besides. */
export const Replaying = t.Object({
  replay: t.Optional(t.String({ description: 'the id of the replay that `replay=true` started' })),
});

/** The response to a change that has nothing else to say. */
export const Done = t.Object({ success: t.Literal(true), ...Behind, ...Noted }, { title: 'Done' });

/** How many sites that could not be tried are named. */
const MOST_UNTRIED = 50;

/** @param untried why sites could not be tried, by their domains @param domain of the only one to name */
export function untriedWarnings(untried: ReadonlyMap<string, string>, domain?: string): Warning[] {
  const found = [...untried].filter(([name]) => domain === undefined || name === domain);
  const late = 'ran only once the change was live';
  const shown = found
    .slice(0, MOST_UNTRIED)
    .map(([name, why]) => `The check of ${name} ${late}: ${why}.`);
  const more = found.length - shown.length;
  if (more > 0) shown.push(`The checks of ${more} more sites ${late}.`);
  return shown.map((message) => ({ code: 'NOT_TRIED', message }));
}

/**
 * Warns of websockets that outlive a change: of vhosts that it deletes, switches off or guards.
 * @param open what outlives the changes that went live together
 * @param isOwn whether a host is of a vhost that the change touched
 */
export function openWarnings(
  open: readonly StillOpen[],
  isOwn: (host: string) => boolean = () => true,
): Warning[] {
  const found = new Map<string, number>();
  for (const { host, upstream, requests } of open) {
    if (isOwn(host)) found.set(upstream, Math.max(requests, found.get(upstream) ?? 0));
  }
  const shown = [...found].slice(0, MOST_OPEN).map(([to, requests]) => openWords(to, requests));
  const more = found.size - shown.length;
  if (more > 0) shown.push(`Connections to ${more} more upstreams were open`);
  return shown.map((message) => ({ code: 'STILL_OPEN', message }));
}

/** How many upstreams are named. */
const MOST_OPEN = 20;

const openWords = (upstream: string, requests: number): string =>
  `${requests === 1 ? '1 connection to' : `${requests} connections to`} ${clip(oneLine(upstream))} ${requests === 1 ? 'was' : 'were'} open: websockets stay open for up to 24 hours, or until Caddy restarts`;

/** What a route knows of a change that went live. */
type Ended = {
  behind: readonly string[];
  untried: ReadonlyMap<string, string>;
  open: readonly StillOpen[];
};

/**
 * The fields that name who lacks a change, and what to know of it, if there is anything.
 * @param isOwn as for `openWarnings`; all, if it is not known which vhosts the change touched
 */
export const outcomeOf = (
  { behind, untried, open }: Ended,
  isOwn?: (host: string) => boolean,
): Static<typeof Outcome> => ({
  ...lacking(behind),
  ...warned([...untriedWarnings(untried), ...openWarnings(open, isOwn)]),
});

/** An answer with what came of the change, and the group of its entries in the changelog, if there are any. */
export const withOutcome = <T extends object>(
  applied: Ended & { group: number | null },
  body: T,
) => ({
  ...body,
  ...(applied.group !== null && { group: applied.group }),
  ...outcomeOf(applied),
});

/** The field of warnings, if there are any. */
export const warned = (warnings: Warning[]): { warnings?: Warning[] } =>
  warnings.length > 0 ? { warnings } : {};
