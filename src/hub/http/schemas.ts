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

const Untried = {
  warnings: t.Optional(
    t.Array(Warning, {
      description: 'the sites whose checks ran only once the change was live (`NOT_TRIED`)',
    }),
  ),
};

/** What the answer to a change has besides, if it is not of a vhost. */
export const LackingOrUntried = t.Object({ ...Behind, ...Untried });

/** The response to a change that has nothing else to say. */
export const Done = t.Object(
  { success: t.Literal(true), ...Behind, ...Untried },
  { title: 'Done' },
);

/** @param untried why sites could not be tried, by their domains @param domain of the only one to name */
export const untriedWarnings = (untried: ReadonlyMap<string, string>, domain?: string): Warning[] =>
  [...untried]
    .filter(([name]) => domain === undefined || name === domain)
    .map(([name, why]) => ({
      code: 'NOT_TRIED',
      message: `The check of ${name} ran only once the change was live: ${why}.`,
    }));

/** The fields that name who lacks a change, and what was not tried before it was live, if there are any. */
export function lackingOrUntried({ behind, untried }: ChangeOutcome) {
  const warnings = untriedWarnings(untried);
  return { ...lacking(behind), ...(warnings.length > 0 && { warnings }) };
}

type ChangeOutcome = { behind: readonly string[]; untried: ReadonlyMap<string, string> };
