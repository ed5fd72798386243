/** `/status`: the state of hub, agent and proxy in one response. */
import { Elysia } from 'elysia';
import { ADVISORIES_AS_OF, advisoriesFor } from '../../shared/advisories.ts';
import type { Guard } from '../auth/guard.ts';
import { about } from '../http/about.ts';
import { AGENT } from '../http/agent-view.ts';
import { READS, refusals } from '../http/refusal-schemas.ts';
import { UPGRADE } from './agent-facts.ts';
import { SERVING } from './ports-routes.ts';
import { createStatusReader, HubStatus, type StatusDeps } from './status.ts';

export function statusRoutes({ guard, ...deps }: StatusDeps & { guard: Guard }) {
  return new Elysia({ name: 'status' }).use(guard).get('/status', createStatusReader(deps), {
    response: { 200: HubStatus, ...refusals(...READS) },
    detail: about({
      id: 'getStatus',
      tag: 'Status',
      summary: 'Get the state of hub, agent and proxy, and whether they are in step',
      description: 'Succeeds even if the agent or the proxy does not respond.',
      access: 'read',
      example: {
        version: '0.1.0',
        commit: null,
        uptimeSeconds: 3600,
        agent: { reachable: true, latencyMs: 1.2 },
        proxy: { running: true, version: '2.11.3' },
        serving: SERVING,
        problems: [
          {
            code: 'UPSTREAM_DOWN',
            level: 'bad',
            vhost: { id: 1, domain: 'app.example.org' },
            since: '2026-11-20T17:58:30.000Z',
            message: '127.0.0.1:8000 does not answer: connection refused.',
          },
        ],
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
        warnings: [],
        broken: [],
        certificates: [],
      },
    }),
  });
}
