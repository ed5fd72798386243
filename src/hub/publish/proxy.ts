/** What is known of the proxy, for the recipes. */
import type { AgentClient } from '../agent-client/client.ts';
import type { KnownProxy } from '../recipes/available.ts';
import type { Publisher } from './publisher.ts';

export type ProxyDeps = {
  publisher: Pick<Publisher, 'version'>;
  agent: Pick<AgentClient, 'modules' | 'status'>;
};

/** Milliseconds; whoever waits can do without. */
const ASK_MS = 2_000;

/** Asks the agent for what the hub does not know yet. Never rejects. */
export const createReadProxy =
  ({ publisher, agent }: ProxyDeps) =>
  async (): Promise<KnownProxy> => {
    const version = publisher.version();
    const [status, answer] = await Promise.all([
      version === null ? agent.status(ASK_MS).catch(() => null) : null,
      agent.modules(ASK_MS).catch(() => null),
    ]);
    return { version: version ?? status?.proxy.version ?? null, modules: answer?.modules ?? null };
  };
