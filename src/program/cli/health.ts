/** `signalbox health [hub|agent]` */
import type { Env } from '../settings-reader.ts';
import { type Command, EXIT } from './command.ts';

/** Milliseconds; a hub at work answers in a few. */
const PATIENCE = 5_000;

export const health: Command = {
  name: 'health',
  args: [{ name: 'WHICH', words: ['hub', 'agent'], optional: true }],
  options: {},
  summary: 'exit 0 when it answers, else 1',
  help: `Asks the hub, or the agent, where HUB_HOST and HUB_PORT (AGENT_HOST, AGENT_PORT) say that it
listens. Prints nothing. For systemd, containers and monitoring.
`,
  run: async ({ args: [which] }, { env }) =>
    (await isHealthy(which === 'agent' ? 'agent' : 'hub', env)) ? EXIT.done : EXIT.failed,
};

/** Asks where the settings say it listens; a host that means "everywhere" is asked on loopback. */
async function isHealthy(which: 'hub' | 'agent', env: Env): Promise<boolean> {
  const name = which.toUpperCase();
  const host = env[`${name}_HOST`] || '127.0.0.1';
  const port = env[`${name}_PORT`] || (which === 'hub' ? '3000' : '3002');
  const near = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const address = near.includes(':') ? `[${near}]` : near;
  // Its certificate may name anything here: nothing secret is said.
  const encrypted = which === 'agent' && Boolean(env.AGENT_TLS_CERT);
  const scheme = encrypted ? 'https' : 'http';
  const path = which === 'hub' ? '/api/health' : '/health';
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    return (
      await fetch(`${scheme}://${address}:${port}${path}`, {
        signal,
        tls: { rejectUnauthorized: false },
      })
    ).ok;
  } catch {
    return false;
  }
}
