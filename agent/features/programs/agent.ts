/** Looks, in an agent, for another program at PROXY_BIN, tries it, and changes over to it. */
import { Elysia } from 'elysia';
import { PROGRAMS, ProgramsAnswer, RESTART } from '../../../src/features/programs/wire.ts';
import { every } from '../../../src/shared/every.ts';
import { Failure } from '../../../src/shared/failure.ts';
import type { Json } from '../../../src/shared/json.ts';
import { jsonBody } from '../../../src/shared/json-body.ts';
import { AgentErrorBody } from '../../../src/shared/wire/protocol.ts';
import { listenersOf, parseAddress } from '../../caddy/ports/ports.ts';
import { holdersOf } from '../../caddy/ports/sockets.ts';
import { describe, sumOfFile } from '../../caddy/process/program.ts';
import type { ProxyControl } from '../../caddy/proxy.ts';
import type { AgentHalf } from '../../core.ts';
import { replaysOf } from '../replay/agent.ts';
import { createPrograms, type Programs } from './programs.ts';

/** `look`: from one look at PROXY_BIN to the next, in milliseconds. */
const PACE = { look: 5_000 };

export const agent: AgentHalf = (core) => {
  const { proxy, bodyLimit, paced } = core;
  const { replaceable } = proxy;
  if (replaceable === null) return { routes: routesOf(null, () => ofOthers(proxy), bodyLimit) };
  const closing = new AbortController();
  const { signal } = closing;
  const replays = replaysOf(core);
  const programs = createPrograms({ ...core, replaceable, replays, signal });
  const { look } = paced('programs', PACE);
  const looks = every({ first: look, pause: look }, programs.look);

  return {
    routes: routesOf(
      {
        ...programs,
        restart: () => programs.restart().finally(core.look),
      },
      async () => ({ ...(await programs.answer()), managed: true, unit: null }),
      bodyLimit,
    ),
    begin: looks.begin,
    async end() {
      closing.abort();
      await looks.end();
    },
  };
};

/** `/proxy/programs` and `/proxy/restart`. @param programs null if another program runs the proxy */
function routesOf(
  programs: Programs | null,
  answer: () => Promise<ProgramsAnswer>,
  bodyLimit: number,
) {
  return new Elysia({ name: 'programs' })
    .get(PROGRAMS.path, answer, { response: { 200: ProgramsAnswer } })
    .use(jsonBody(bodyLimit))
    .post(
      RESTART.path,
      async ({ request, server }) => {
        if (programs === null) {
          throw new Failure('INVALID_REQUEST', 'Another program runs Caddy, and restarts it.');
        }
        server?.timeout(request, 0);
        await programs.restart();
        return answer();
      },
      {
        body: RESTART.body,
        response: {
          200: ProgramsAnswer,
          400: AgentErrorBody,
          409: AgentErrorBody,
          502: AgentErrorBody,
        },
      },
    );
}

/** Of a Caddy that another program runs. */
async function ofOthers({ admin, commands }: ProxyControl): Promise<ProgramsAnswer> {
  const [found, sha256, unit] = await Promise.all([
    describe(commands),
    sumOfFile(commands.bin),
    unitOf(admin),
  ]);
  const current =
    found && sha256 !== null
      ? { version: found.version, sha256, modules: [...found.modules], since: null }
      : null;
  return { current, next: null, managed: false, unit };
}

/** To look for who has one takes milliseconds. */
const MOST_PORTS = 3;

/** The service that runs Caddy, by what it listens on; null if the agent does not see it. Never fails. */
async function unitOf(admin: ProxyControl['admin']): Promise<string | null> {
  const live = await admin.config().then(
    (text) => listenersOf(JSON.parse(text) as Json),
    () => [],
  );
  const listeners = [...parseAddress(admin.address), ...live.filter(({ udp }) => !udp)];
  for (const { port } of listeners.slice(0, MOST_PORTS)) {
    const holder = holdersOf(port, 'tcp').find(({ unit }) => unit !== null);
    if (holder) return holder.unit;
  }
  return null;
}
