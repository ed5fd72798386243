/** `/status`: the state of hub, agent and proxy in one response. */
import { Elysia, t } from 'elysia';
import { ADVISORIES_AS_OF, advisoriesFor } from '../../shared/advisories.ts';
import { integer } from '../../shared/integer.ts';
import { type Guard, isViewer } from '../auth/guard.ts';
import { AGENT, AgentView } from '../http/agent-view.ts';
import { route } from '../http/route.ts';
import { Timestamp } from '../http/schemas.ts';
import { UPGRADE } from '../watch/agent-facts.ts';
import { statusForViewers } from '../watch/for-viewers.ts';
import { ProblemView } from '../watch/problem.ts';
import { createStatusReader, type StatusDeps } from '../watch/status.ts';
import { SERVING, ServingOrNull } from './ports.ts';

const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) =>
  t.Union([schema, t.Null()]);

export const HubStatus = t.Object(
  {
    version: t.String(),
    commit: nullable(t.String()),
    uptimeSeconds: integer(),
    agent: t.Object({
      reachable: t.Boolean(),
      latencyMs: nullable(t.Number()),
    }),
    serving: ServingOrNull,
    proxy: t.Object({
      running: t.Boolean({
        description: 'false also while the agent does not answer, so that nobody knows',
      }),
      version: nullable(t.String()),
    }),
    problems: t.Array(ProblemView, {
      description:
        'all current problems, one entry per cause, worst first; unknown facts are left out',
    }),
    checking: integer({
      description:
        'how many enabled vhosts the agents have not looked at yet since the hub was started, or since the last change, for a minute at most; until it is 0, a problem may still be missing',
    }),
    advisories: nullable(
      t.Array(t.Object({ id: t.String(), summary: t.String(), fixedIn: t.String() }), {
        description:
          "security advisories that affect the proxy's version; null if the version is unknown",
      }),
    ),
    advisoriesAsOf: t.String({
      format: 'date',
      description:
        'the day of the table that `advisories` is from; a problem says if that is long ago',
    }),
    upgrade: nullable(
      t.String({
        description: 'how to get a version without them; null if there are no advisories',
      }),
    ),
    beforeUpgrade: t.Array(
      t.Object({
        vhost: t.Optional(
          t.Object(
            { id: integer(), domain: t.String() },
            { description: 'absent: it is in the preamble' },
          ),
        ),
        agents: t.Optional(
          t.Array(t.String(), { description: 'whose preamble, if they have one of their own' }),
        ),
        line: integer({ description: 'of the config, or of the preamble' }),
        since: t.String({ description: 'the first release that is known to refuse it' }),
        detail: t.String(),
        instead: t.String({ description: 'what to write instead' }),
      }),
      {
        description:
          'what a newer version refuses although the running one accepts it, in the preamble and in enabled vhosts, at most 100; empty if the version is unknown',
      },
    ),
    agents: t.Array(AgentView, {
      description:
        'the first one first; with several agents, the other fields report the worst of them',
    }),
    inStep: t.Boolean({
      description:
        'the proxy and the file on disk match the stored state, apart from vhosts in `broken`; or the checks of a change are running',
    }),
    foreign: t.Boolean({ description: 'the proxy serves sites that this hub did not publish' }),
    drift: t.Boolean({ description: 'another program changed the file on disk' }),
    restartNeeded: t.Boolean({ description: 'a failed start may have left listeners open' }),
    lastPublish: nullable(
      t.Object({ at: Timestamp, milliseconds: t.Number(), changes: integer() }),
    ),
    sources: t.Array(
      t.Object({
        name: t.String(),
        sites: integer(),
        policies: integer(),
        differing: integer({
          description: 'how many of them were changed since: its next apply undoes that',
        }),
      }),
      { description: 'what keeps sites and policies as they are besides people' },
    ),
    warnings: t.Array(t.String(), { description: 'warnings for the operator' }),
    broken: t.Array(
      t.Object({
        id: integer(),
        domain: t.String(),
        agents: t.Optional(
          t.Array(t.String(), {
            description: 'whose proxies do not serve it; only if the hub has several agents',
          }),
        ),
        detail: t.String(),
      }),
      {
        description:
          'stored vhosts that are not served: the proxy refuses them, or could not open their port',
      },
    ),
    certificates: t.Array(
      t.Object({
        id: integer({ description: 'of the vhost' }),
        domain: t.String({ description: 'of the vhost' }),
        agent: t.Optional(
          t.String({ description: 'whose proxy has it; only if the hub has several agents' }),
        ),
        name: t.String({ description: 'the host name that the certificate is for' }),
        issuer: t.String(),
        notAfter: Timestamp,
        daysLeft: integer({ description: 'whole days; negative if it has expired' }),
        overdue: t.Boolean({
          description: 'not renewed automatically, or the proxy should have renewed it by now',
        }),
      }),
      {
        description:
          'certificates that expire within 14 days, overdue ones first, at most 100; those of the proxy’s own authority, and others that are renewed every few days, only if they are overdue; empty if the agent or the proxy does not respond',
      },
    ),
  },
  { title: 'Status' },
);
export function statusRoutes({ guard, ...deps }: StatusDeps & { guard: Guard }) {
  const read = createStatusReader(deps);
  return new Elysia({ name: 'status' }).use(guard).get(
    '/status',
    async ({ who }) => (isViewer(who) ? statusForViewers(await read()) : read()),
    route({
      id: 'getStatus',
      tag: 'Status',
      summary: 'Get the state of hub, agent and proxy, and whether they are in step',
      description:
        'Succeeds even if the agent or the proxy does not respond. Viewers get no words of Caddy or of others, which may quote a config: messages name the kind of fault only, and `warnings` and `beforeUpgrade` are empty.',
      access: 'read',
      returns: HubStatus,
      example: {
        version: '0.2.0',
        commit: null,
        uptimeSeconds: 3600,
        agent: { reachable: true, latencyMs: 1.2 },
        proxy: { running: true, version: '2.11.3' },
        serving: SERVING,
        problems: [
          {
            key: '0f4c8a61d2b97e35',
            code: 'UPSTREAM_DOWN',
            level: 'bad',
            vhost: { id: 1, domain: 'app.example.org' },
            since: '2026-11-20T17:58:30.000Z',
            message: '127.0.0.1:8000 does not answer: connection refused.',
          },
        ],
        checking: 0,
        advisories: advisoriesFor('2.11.3'),
        advisoriesAsOf: ADVISORIES_AS_OF,
        upgrade: UPGRADE,
        beforeUpgrade: [
          {
            vhost: { id: 2, domain: 'files.example.org' },
            line: 3,
            since: '2.11.6',
            detail: '`forward_auth` has `uri` twice.',
            instead: 'Keep the last one, because only it counts, and remove the others.',
          },
        ],
        agents: [AGENT],
        inStep: true,
        foreign: false,
        drift: false,
        restartNeeded: false,
        lastPublish: { at: '2026-11-20T18:00:00.000Z', milliseconds: 14.1, changes: 1 },
        sources: [{ name: 'home', sites: 12, policies: 2, differing: 1 }],
        warnings: [],
        broken: [],
        certificates: [],
      },
    }),
  );
}
