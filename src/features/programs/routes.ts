/** `/proxy/programs` and `/proxy/restart`: which program of Caddy an agent runs, and the change to another one. */
import { Elysia, type Static, t } from 'elysia';
import { type Agent, type Agents, chosen } from '../../hub/agents/agents.ts';
import type { Caller } from '../../hub/auth/guard.ts';
import { recordSecurity } from '../../hub/auth/security-log.ts';
import type { ApiCore } from '../../hub/core.ts';
import { agentQuery } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { advisoriesFor, SAFE_VERSION } from '../../shared/advisories.ts';
import { Failure } from '../../shared/failure.ts';
import { NextProgram, PROGRAMS, Program, type ProgramsAnswer, RESTART } from './wire.ts';

const ProgramsView = t.Object(
  {
    agent: t.String(),
    current: t.Union([Program, t.Null()], {
      description: 'null if Caddy’s program cannot be asked',
    }),
    next: t.Union([NextProgram, t.Null()], {
      description: 'another program at `PROXY_BIN`, once it was tried with all sites; null: none',
    }),
    managed: t.Boolean({ description: 'whether the agent runs Caddy, and can restart it' }),
    command: t.Union([t.String(), t.Null()], {
      description: 'if not, the command for the machine that Caddy runs on',
    }),
    advisories: t.Union(
      [t.Array(t.Object({ id: t.String(), summary: t.String(), fixedIn: t.String() })), t.Null()],
      { description: 'those that affect its version; null if that is not known' },
    ),
    safe: t.String({ description: 'a version that no known advisory affects' }),
  },
  { title: 'Programs' },
);
export type ProgramsView = Static<typeof ProgramsView>;

const OneAgent = agentQuery({
  description: 'The name of the agent; required if there are several. Unknown: 404.',
  example: 'local',
});

type Deps = Pick<ApiCore, 'publisher' | 'guard' | 'db' | 'now'>;

export function programRoutes({ publisher, guard, db, now }: Deps) {
  const { agents } = publisher;

  function record(who: Caller, target: string, from: Named, to: Named): void {
    const [before, after] = [nameOf(from), nameOf(to)];
    const detail =
      from?.sha256 === to?.sha256 ? `Caddy ${after} restarted` : `Caddy ${before} → ${after}`;
    recordSecurity(db, now(), who, { kind: 'agent', target, detail });
  }

  /** If its answer is lost, it may have happened. @throws Failure */
  async function restart({ client }: Agent, before: ProgramsAnswer): Promise<ProgramsAnswer> {
    try {
      return await client.send(RESTART, {});
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'AGENT_UNREACHABLE') throw error;
      const after = await client.ask(PROGRAMS, {}).catch(() => null);
      const was = before.current?.sha256;
      if (!after?.current || after.current.sha256 === was) throw error;
      return after;
    }
  }

  return new Elysia({ name: 'programs', prefix: '/proxy' })
    .use(guard)
    .get(
      '/programs',
      async ({ query }) => {
        const agent = onlyOne(agents, query.agent);
        return viewOf(agent, await agent.client.ask(PROGRAMS, {}));
      },
      route({
        id: 'getPrograms',
        tag: 'Agents',
        summary: 'Get the program of Caddy that an agent runs, and another one at PROXY_BIN',
        access: 'read',
        query: OneAgent,
        asks: 'agent',
        returns: ProgramsView,
        example: EXAMPLE,
      }),
    )
    .post(
      '/restart',
      async ({ query, who, request, server }) => {
        const agent = onlyOne(agents, query.agent);
        // All sites are tried first.
        server?.timeout(request, 0);
        const before = await agent.client.ask(PROGRAMS, {});
        assertManaged(before);
        const after = await restart(agent, before);
        record(who, agent.name, before.current, after.current);
        // It may use other words for the same, and get them now; if not, the next look sends them.
        await publisher.reconcile(agent.id).catch(() => {});
        return viewOf(agent, after);
      },
      route({
        id: 'restartProxy',
        tag: 'Agents',
        summary: 'Restart Caddy, with the program that is at PROXY_BIN now',
        description:
          'Another program than the one that runs is tried with all sites first. If it would serve one worse, nothing has happened, and `detail` says what. If it does not serve, or ends within a minute, the one before runs again. It takes up to three minutes; visitors wait for less than a second.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        query: OneAgent,
        asks: 'proxy',
        refuses: ['STALE', 'PROGRAM_REFUSED'],
        returns: ProgramsView,
        example: EXAMPLE,
      }),
    );
}

type Named = Pick<Program, 'sha256' | 'version'> | null;
const nameOf = (program: Named): string => program?.version ?? 'from source';

const viewOf = (
  { name }: Agent,
  { unit, current, next, managed }: ProgramsAnswer,
): ProgramsView => ({
  agent: name,
  current,
  next,
  managed,
  command: managed ? null : commandFor(unit),
  advisories: advisoriesFor(current?.version ?? null),
  safe: SAFE_VERSION,
});

/** @throws Failure NOT_FOUND; INVALID_REQUEST if there are several, and none is named */
function onlyOne(agents: Agents, name: string | undefined): Agent {
  const agent = chosen(agents, name);
  if (agent) return agent;
  const message = 'This hub has several agents: name one, with `agent`.';
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'agent' } });
}

/** @throws Failure INVALID_REQUEST */
function assertManaged({ managed, unit }: ProgramsAnswer): void {
  if (managed) return;
  const message = 'Another program runs Caddy there, so signalbox cannot restart it.';
  throw new Failure('INVALID_REQUEST', message, { hint: `Run: ${commandFor(unit)}` });
}

/** Nothing of an agent's words gets into a command but the plain name of a service. */
const commandFor = (unit: string | null): string =>
  unit !== null && /^[\w@.-]+$/.test(unit)
    ? `sudo apt-get update && sudo apt-get install --only-upgrade caddy && sudo systemctl restart ${unit}`
    : 'docker compose pull && docker compose up -d';

const STOCK = ['http.handlers.reverse_proxy', 'http.handlers.static_response'];
const EXAMPLE: ProgramsView = {
  agent: 'local',
  current: {
    version: '2.6.2',
    sha256: '1f6e2c9b7a1d4c539b0e2f4d8a6c0b35'.repeat(2),
    modules: STOCK,
    since: '2026-10-01T08:00:00.000Z',
  },
  next: {
    version: '2.11.7',
    sha256: '4f6e2c9b7a1d4c539b0e2f4d8a6c0b35'.repeat(2),
    modules: STOCK,
    differs: [],
  },
  managed: true,
  command: null,
  advisories: [],
  safe: SAFE_VERSION,
};
