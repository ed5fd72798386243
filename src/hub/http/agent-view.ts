/** An agent as the API shows it, and an example for the API's description. */
import { type Static, t } from 'elysia';
import { integer } from '../../shared/integer.ts';
import { Timestamp } from './schemas.ts';

export const AgentView = t.Object(
  {
    name: t.String(),
    url: t.Optional(t.String({ description: 'where the hub reaches it; not for viewers' })),
    fingerprint: t.Optional(
      t.Union([t.String(), t.Null()], {
        description:
          'SHA-256 of its certificate; null if the hub trusts it otherwise; not for viewers',
      }),
    ),
    paused: t.Boolean({ description: 'whether publishing to it is paused' }),
    state: t.UnionEnum(['in-step', 'behind', 'unreachable', 'refused'], {
      description:
        '`in-step`: up to date; `behind`: its proxy does not serve the stored state; `unreachable`: it or its proxy does not answer; `refused`: its proxy refuses sites, cannot open one of its ports, or obeys another hub',
    }),
    since: Timestamp,
    detail: t.Optional(
      t.String({ description: 'more about the state, for people; not for viewers' }),
    ),
    proxy: t.Object({
      running: t.Boolean({
        description: 'false also while the agent does not answer, so that nobody knows',
      }),
      version: t.Union([t.String(), t.Null()]),
    }),
    foreign: t.Boolean({
      description: 'whether its proxy serves sites that this hub did not publish',
    }),
    latencyMs: t.Union([t.Number(), t.Null()], {
      description: 'how long its last response took; null if it does not answer',
    }),
    skewMs: t.Union([integer(), t.Null()], {
      description:
        'the minimum number of milliseconds by which its clock is ahead of the hub’s; null if unknown',
    }),
    sites: integer({ description: 'how many enabled vhosts are placed on it' }),
  },
  { title: 'Agent' },
);
export type AgentView = Static<typeof AgentView>;

/** A viewer sees names and states. */
export const agentForViewers = ({ url, fingerprint, detail, ...seen }: AgentView): AgentView =>
  seen;

export const AGENT = {
  name: 'vps',
  url: 'https://192.0.2.7:3002',
  fingerprint: 'a3'.repeat(32),
  paused: false,
  state: 'in-step' as const,
  since: '2026-11-20T18:00:00.000Z',
  proxy: { running: true, version: '2.11.4' },
  foreign: false,
  latencyMs: 3.1,
  skewMs: 0,
  sites: 12,
};
