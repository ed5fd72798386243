/** `signalbox health [hub|agent]` */
import { messageOf } from '../../shared/async.ts';
import { isEnrolled } from '../agent-settings.ts';
import { dataDirOf } from '../data-folder.ts';
import { type Env, givenIn, valueIn } from '../settings.ts';
import { askLocalHub } from './api/local-hub.ts';
import { type Command, EXIT } from './command.ts';

/** Milliseconds; a healthy hub answers in a few. */
const TIMEOUT_MS = 5_000;

export const health: Command = {
  name: 'health',
  isSeldom: true,
  args: [{ name: 'WHICH', words: ['hub', 'agent'], optional: true }],
  options: {},
  summary: 'exit 0 if the hub (or agent) answers, 1 otherwise',
  help: `Asks the hub at HUB_HOST and HUB_PORT, or the agent at AGENT_HOST and AGENT_PORT. Without
an argument, asks the hub; without either setting, the one that uses DATA_DIR, wherever it listens.
If it exits 1, prints the reason. For systemd, containers and monitoring.
`,
  async run({ args: [which] }, { env, fail }) {
    const isSaid = ['HUB_HOST', 'HUB_PORT'].some((name) => givenIn(env, name) !== undefined);
    if (which !== 'agent' && !isSaid && (await answersHere(env))) return EXIT.done;
    const url = addressOf(which === 'agent' ? 'agent' : 'hub', env);
    const reason = await whyUnhealthy(url);
    if (reason === null) return EXIT.done;
    fail(`signalbox health: ${url} ${reason}`);
    return EXIT.failed;
  },
};

/** Whether the hub of this data folder answers that it is healthy; its port may be in its own settings. */
const answersHere = (env: Env): Promise<boolean> =>
  askLocalHub(env, { path: '/health', signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    () => true,
    () => false,
  );

/** The address it listens on; on loopback if that means all addresses. */
function addressOf(which: 'hub' | 'agent', env: Env): string {
  const isHub = which === 'hub';
  const host = valueIn(env, isHub ? 'HUB_HOST' : 'AGENT_HOST');
  const port = valueIn(env, isHub ? 'HUB_PORT' : 'AGENT_PORT');
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = reachable.includes(':') ? `[${reachable}]` : reachable;
  const isSecure = givenIn(env, 'AGENT_TLS_CERT') !== undefined || isEnrolled(env, dataDirOf(env));
  const scheme = !isHub && isSecure ? 'https' : 'http';
  return `${scheme}://${address}:${port}${isHub ? '/api/health' : '/health'}`;
}

/** The end of a sentence that begins with the address; null if all is well. */
async function whyUnhealthy(url: string): Promise<string | null> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // The certificate may be for any name; the request holds nothing secret.
    const tls = { rejectUnauthorized: false };
    const { ok, status } = await fetch(url, { signal, tls });
    return ok ? null : `answers with status ${status}`;
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException;
    if (name === 'TimeoutError') return `does not answer within ${TIMEOUT_MS / 1000} seconds`;
    if (code === 'ECONNREFUSED') return 'refuses connections: nothing listens there';
    return `cannot be reached: ${messageOf(error)}`;
  }
}
