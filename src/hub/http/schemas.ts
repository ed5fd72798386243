/** Schemas that the responses of several features share. */
import { type Static, t } from 'elysia';

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

/** What a visitor of a live vhost would notice. */
export const Warning = t.Object(
  {
    code: t.String({ examples: ['UPSTREAM_DOWN'] }),
    message: t.String({ description: 'one sentence, for people' }),
  },
  { title: 'Warning' },
);
export type Warning = Static<typeof Warning>;

const Noted = {
  warnings: t.Optional(
    t.Array(Warning, {
      description:
        'the sites whose checks ran only once the change was live (`NOT_TRIED`), and websockets that stay open (`STILL_OPEN`)',
    }),
  ),
};

/** What the answer to a change has besides, if it is not of a vhost. */
export const Outcome = t.Object({ ...Behind, ...Noted });

/** The response to a change that has nothing else to say. */
export const Done = t.Object({ success: t.Literal(true), ...Behind, ...Noted }, { title: 'Done' });

/** @param untried why sites could not be tried, by their domains @param domain of the only one to name */
export const untriedWarnings = (untried: ReadonlyMap<string, string>, domain?: string): Warning[] =>
  [...untried]
    .filter(([name]) => domain === undefined || name === domain)
    .map(([name, why]) => ({
      code: 'NOT_TRIED',
      message: `The check of ${name} ran only once the change was live: ${why}.`,
    }));

/** The fields that name who lacks a change, and what to know of it, if there is anything. */
export const outcomeOf = (
  { behind, untried }: { behind: readonly string[]; untried: ReadonlyMap<string, string> },
  others: readonly Warning[] = [],
): Static<typeof Outcome> => ({
  ...lacking(behind),
  ...warned([...untriedWarnings(untried), ...others]),
});

/** The field of warnings, if there are any. */
export const warned = (warnings: Warning[]): { warnings?: Warning[] } =>
  warnings.length > 0 ? { warnings } : {};
