/** `signalbox health [hub|agent]` */
import { type Env, givenIn, valueIn } from '../settings.ts';
import { type Command, EXIT } from './command.ts';

/** Milliseconds; a healthy hub answers in a few. */
const TIMEOUT_MS = 5_000;

export const health: Command = {
  name: 'health',
  args: [{ name: 'WHICH', words: ['hub', 'agent'], optional: true }],
  options: {},
  summary: 'exit with 0 if the hub (or the agent) answers, else with 1',
  help: `Asks the hub at HUB_HOST and HUB_PORT, or the agent at AGENT_HOST and AGENT_PORT. Without
an argument, asks the hub. Prints nothing. For systemd, containers and monitoring.
`,
  run: async ({ args: [which] }, { env }) =>
    (await isHealthy(which === 'agent' ? 'agent' : 'hub', env)) ? EXIT.done : EXIT.failed,
};

/** Asks at the address it listens on; on loopback if that means all addresses. */
async function isHealthy(which: 'hub' | 'agent', env: Env): Promise<boolean> {
  const isHub = which === 'hub';
  const host = valueIn(env, isHub ? 'HUB_HOST' : 'AGENT_HOST');
  const port = valueIn(env, isHub ? 'HUB_PORT' : 'AGENT_PORT');
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = reachable.includes(':') ? `[${reachable}]` : reachable;
  const scheme = !isHub && givenIn(env, 'AGENT_TLS_CERT') ? 'https' : 'http';
  const path = isHub ? '/api/health' : '/health';
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    // The certificate may be for any name; the request holds nothing secret.
    const tls = { rejectUnauthorized: false };
    return (await fetch(`${scheme}://${address}:${port}${path}`, { signal, tls })).ok;
  } catch {
    return false;
  }
}
