/** `/proxy/programs`: which program of Caddy an agent runs, and its exchange for another. */
import { Elysia, type Static, t } from 'elysia';
import { type Agent, type Agents, chosen } from '../../hub/agents/agents.ts';
import { recordedAuthorOf } from '../../hub/auth/guard.ts';
import { isPlugin } from '../../hub/caddyfile/stock-modules.ts';
import type { ApiCore } from '../../hub/core.ts';
import { agentQuery } from '../../hub/http/params.ts';
import { route } from '../../hub/http/route.ts';
import { labelOf } from '../../hub/model/agent.ts';
import { renderSet } from '../../hub/model/applied.ts';
import { modulesUsed } from '../../hub/model/modules-used.ts';
import { setFor } from '../../hub/model/placement.ts';
import { advisoriesFor, SAFE_VERSION } from '../../shared/advisories.ts';
import { Failure } from '../../shared/failure.ts';
import { formBody, jsonBody } from '../../shared/json-body.ts';
import { sha256Of } from '../../shared/system/files.ts';
import { Difference } from '../../shared/wire/protocol.ts';
import { createExchange } from './exchange.ts';
import {
  FETCH,
  FetchRequest,
  KEEP,
  MOST_PROGRAM_BYTES,
  PROGRAMS,
  Probation,
  Program,
  type ProgramsAnswer,
  Sum,
} from './wire.ts';

/** Milliseconds for a program to arrive. */
const UPLOAD_MS = 600_000;

const Shown = t.Object({
  ...Program.properties,
  plugins: t.Array(t.String(), { description: 'those of its modules that are not in stock Caddy' }),
});

const ProgramsView = t.Object(
  {
    agent: t.String(),
    current: t.Union([Shown, t.Null()], { description: 'null if Caddy’s program cannot be asked' }),
    previous: t.Array(Shown, { description: 'those that are kept to go back to, the last first' }),
    probation: t.Union([Probation, t.Null()], {
      description: 'if it ends before then, the previous one runs again',
    }),
    managed: t.Boolean({ description: 'whether the agent runs Caddy, and can exchange it' }),
    command: t.Union([t.String(), t.Null()], {
      description: 'if not, the command for the machine that Caddy runs on',
    }),
    advisories: t.Union(
      [t.Array(t.Object({ id: t.String(), summary: t.String(), fixedIn: t.String() })), t.Null()],
      { description: 'those that affect its version; null if that is not known' },
    ),
    safe: t.String({ description: 'a version that no known advisory affects' }),
    uses: t.Union(
      [
        t.Array(
          t.Object({
            module: t.String(),
            sites: t.Array(t.String(), { description: 'by their domains' }),
            elsewhere: t.Boolean({ description: 'whether the preamble, for example, uses it' }),
          }),
        ),
        t.Null(),
      ],
      {
        description:
          'the modules that are not in stock Caddy and that live sites use; null: not known',
      },
    ),
    differences: t.Optional(
      t.Array(Difference, { description: 'after an exchange: what is otherwise, but not worse' }),
    ),
    leftOut: t.Optional(
      t.Array(t.Object({ reason: t.String(), count: t.Integer() }), {
        description: 'after an exchange: logged requests that could not be asked again',
      }),
    ),
  },
  { title: 'Programs' },
);
export type ProgramsView = Static<typeof ProgramsView>;

/** Exactly one of `file`, `url` and `use`. */
const NewProgram = t.Object(
  {
    file: t.Optional(t.File({ description: 'the program, at most 200 MiB' })),
    url: t.Optional({ ...FetchRequest.properties.url, description: 'the agent fetches it' }),
    sha256: t.Optional({ ...Sum, description: 'of the file, or at the URL, which needs one' }),
    use: t.Optional({ ...Sum, description: 'the SHA-256 of one that the agent keeps' }),
  },
  { title: 'NewProgram' },
);
type NewProgram = Static<typeof NewProgram>;

const OneAgent = agentQuery({
  description: 'The name of the agent; required if there are several. Unknown: 404.',
  example: 'local',
});

type Deps = Pick<ApiCore, 'publisher' | 'guard' | 'bodyLimit' | 'now'>;

export function programRoutes({ publisher, guard, bodyLimit, now }: Deps) {
  const { agents } = publisher;
  const exchange = createExchange({ publisher, now });

  /** What of a program's plugins live sites use; null if the agent cannot say. */
  async function usesOf({ id, client }: Agent, plugins: readonly string[]) {
    if (plugins.length === 0) return [];
    const set = setFor(publisher.current(), id);
    const { text } = renderSet({ ...set, certificates: [] }, publisher.version(agentName(id)));
    const adapted = await client.adapt(text).catch(() => null);
    return adapted && modulesUsed(plugins, adapted.config, set);
  }
  const agentName = (id: number) => agents.all().find((one) => one.id === id)?.name;

  /** @throws as `PROGRAMS` */
  async function viewOf(agent: Agent, known?: ProgramsAnswer): Promise<ProgramsView> {
    const { unit, current, previous, ...rest } = known ?? (await agent.client.ask(PROGRAMS, {}));
    const shown = current && shownOf(current);
    return {
      agent: agent.name,
      ...rest,
      current: shown,
      previous: previous.map(shownOf),
      command: rest.managed ? null : commandFor(unit),
      advisories: advisoriesFor(current?.version ?? null),
      safe: SAFE_VERSION,
      uses: shown && (await usesOf(agent, shown.plugins)),
    };
  }

  return new Elysia({ name: 'programs', prefix: '/proxy' })
    .use(guard)
    .get(
      '/programs',
      ({ query }) => viewOf(onlyOne(agents, query.agent)),
      route({
        id: 'getPrograms',
        tag: 'Agents',
        summary: 'Get the program of Caddy that an agent runs, and those that it keeps',
        access: 'read',
        query: OneAgent,
        asks: 'agent',
        returns: ProgramsView,
        example: EXAMPLE,
      }),
    )
    .use(formBody(MOST_PROGRAM_BYTES, { orJson: true, deadline: UPLOAD_MS }))
    .use(jsonBody(bodyLimit))
    .post(
      '/program',
      async ({ query, body, who, request, server, assertAllowed }) => {
        const agent = onlyOne(agents, query.agent);
        assertOneSource(body);
        // It is sent on, asks every site, and waits for the changes before it.
        server?.timeout(request, 0);
        try {
          const known = await agent.client.ask(PROGRAMS, {});
          assertExchangeable(known, now());
          const program = await keptBy(agent, body, known);
          assertAllowed();
          const detail = `Caddy ${known.current?.version ?? ''} → ${program.version ?? ''}`;
          const author = recordedAuthorOf(who, { kind: 'agent', target: agent.name, detail });
          const done = await exchange(agent.name, program, author);
          // It has happened, whether or not the agent says so again.
          const after = await agent.client.ask(PROGRAMS, {}).catch(() => inPlaceOf(known, program));
          const { differences, leftOut } = done ?? {};
          return {
            ...(await viewOf(agent, after)),
            ...(differences && { differences }),
            ...(leftOut && { leftOut }),
          };
        } catch (error) {
          const label = labelOf(agent.id, agents.all());
          if (label === undefined || !(error instanceof Failure)) throw error;
          throw error.about({ ...error.at, agent: label });
        }
      },
      route({
        id: 'exchangeProgram',
        tag: 'Agents',
        summary: 'Exchange the program of Caddy without an interruption',
        description:
          'Exactly one of `file` (as a form), `url` with `sha256`, and `use`. The new program starts beside the old one and is asked what the old one is asked; only then does the old one stop. If anything is worse, nothing has changed, and `differences` says what. For a minute afterwards it is on probation: if it ends, the previous one runs again. It takes up to three minutes.',
        access: 'session',
        needs: 'owner',
        fresh: true,
        query: OneAgent,
        body: NewProgram,
        publishes: true,
        refuses: ['ON_PROBATION', 'STALE', 'PROGRAM_REFUSED'],
        returns: ProgramsView,
        isForm: 'or-json',
        bodies: { back: { summary: 'Go back', value: { use: EXAMPLE.previous[0]?.sha256 } } },
        example: EXAMPLE,
      }),
    );
}

/** @throws Failure NOT_FOUND; INVALID_REQUEST if there are several, and none is named */
function onlyOne(agents: Agents, name: string | undefined): Agent {
  const agent = chosen(agents, name);
  if (agent) return agent;
  const message = 'This hub has several agents: name one, with `agent`.';
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'agent' } });
}

/** @throws Failure INVALID_REQUEST */
function assertOneSource({ file, url, sha256, use }: NewProgram): void {
  if ([file, url, use].filter((one) => one !== undefined).length !== 1) {
    throw new Failure('INVALID_REQUEST', 'Send exactly one of `file`, `url` and `use`.');
  }
  if (url === undefined || sha256 !== undefined) return;
  const message = 'A program is fetched only if its SHA-256 is known: send `sha256` with the URL.';
  throw new Failure('INVALID_REQUEST', message, { at: { field: 'sha256' } });
}

/** @throws Failure INVALID_REQUEST, ON_PROBATION */
function assertExchangeable({ managed, unit, probation }: ProgramsAnswer, time: Date): void {
  if (!managed) {
    const message = 'Another program runs Caddy there, so signalbox cannot exchange it.';
    throw new Failure('INVALID_REQUEST', message, { hint: `Run: ${commandFor(unit)}` });
  }
  const left = probation ? Date.parse(probation.until) - time.getTime() : 0;
  if (left <= 0) return;
  const retryAfter = Math.ceil(left / 1000);
  const message =
    'Caddy’s program was exchanged less than a minute ago. Try again when its probation is over.';
  throw new Failure('ON_PROBATION', message, { retryAfter });
}

/** Has the agent keep the program, unless it does. @throws Failure NOT_FOUND, INVALID_REQUEST, STORAGE_UNAVAILABLE */
async function keptBy(
  { client }: Agent,
  { file, url, sha256, use }: NewProgram,
  { current, previous }: ProgramsAnswer,
): Promise<Program> {
  const found = file && (await sha256Of(file));
  if (found !== undefined && sha256 !== undefined && sha256 !== found) {
    const detail = `It is ${found}.`;
    throw new Failure('INVALID_REQUEST', 'The file has another SHA-256.', {
      detail,
      at: { field: 'sha256' },
    });
  }
  const sum = use ?? found ?? sha256 ?? '';
  const kept = [current, ...previous].find((one) => one?.sha256 === sum);
  if (kept) return kept;
  if (file) return client.upload(KEEP, { sha256: sum }, file);
  if (url !== undefined) return client.send(FETCH, { url, sha256: sum });
  throw new Failure('NOT_FOUND', 'The agent does not keep this program.');
}

/** What an agent keeps once another program runs. */
const inPlaceOf = (known: ProgramsAnswer, program: Program): ProgramsAnswer => ({
  ...known,
  current: program,
  previous: known.current ? [known.current, ...known.previous] : known.previous,
});

const shownOf = (program: Program) => ({ ...program, plugins: program.modules.filter(isPlugin) });

/** Nothing of an agent's words gets into a command but the plain name of a service. */
const commandFor = (unit: string | null): string =>
  unit !== null && /^[\w@.-]+$/.test(unit)
    ? `sudo apt-get update && sudo apt-get install --only-upgrade caddy && sudo systemctl restart ${unit}`
    : 'docker compose pull && docker compose up -d';

const STOCK = ['http.handlers.reverse_proxy', 'http.handlers.static_response'];
const EXAMPLE: ProgramsView = {
  agent: 'local',
  current: {
    sha256: '4f6e2c9b7a1d4c539b0e2f4d8a6c0b35'.repeat(2),
    version: '2.11.7',
    modules: STOCK,
    since: '2026-11-20T19:00:00.000Z',
    plugins: [],
  },
  previous: [
    {
      sha256: '1f6e2c9b7a1d4c539b0e2f4d8a6c0b35'.repeat(2),
      version: '2.6.2',
      modules: STOCK,
      since: '2026-10-01T08:00:00.000Z',
      plugins: [],
    },
  ],
  probation: { until: '2026-11-20T19:01:00.000Z' },
  managed: true,
  command: null,
  advisories: [],
  safe: SAFE_VERSION,
  uses: [],
  differences: [],
  leftOut: [],
};
