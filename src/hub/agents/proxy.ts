/** What is known of the proxies, for the recipes. */
import type { Agents } from './agents.ts';
import type { AgentClient } from './client.ts';

/** What is known of a proxy, or of several; null if it is not. */
type KnownProxy = { version: string | null; modules: readonly string[] | null };

/** The version of an agent's proxy, as it last said; the first agent's without a name. */
type Versions = { version(name?: string): string | null };

/** Milliseconds; the caller can do without. */
const ASK_MS = 2_000;

/** Asks the agent for what the hub does not know yet. Never rejects. */
export const createReadProxy =
  (publisher: Versions, agent: Pick<AgentClient, 'modules' | 'status'>) =>
  async (): Promise<KnownProxy> => {
    const version = publisher.version();
    const [status, answer] = await Promise.all([
      version === null ? agent.status(ASK_MS).catch(() => null) : null,
      agent.modules(ASK_MS).catch(() => null),
    ]);
    return { version: version ?? status?.proxy.version ?? null, modules: answer?.modules ?? null };
  };

/** Of all agents that can be asked: the oldest version, and the modules that each of them has. Never rejects. */
export const createReadProxies =
  (publisher: Versions & { agents: Agents }) => async (): Promise<KnownProxy> => {
    const agents = publisher.agents.all();
    const awake = agents.filter(({ client }) => !client.isSilent());
    const asked = awake.length > 0 ? awake : agents;
    const known = await Promise.all(
      asked.map(({ name, client }) =>
        createReadProxy({ version: () => publisher.version(name) }, client)(),
      ),
    );
    const [modules = null, ...others] = known.flatMap((one) => (one.modules ? [one.modules] : []));
    return {
      version: oldestOf(known.map(({ version }) => version)),
      modules: modules?.filter((name) => others.every((more) => more.includes(name))) ?? null,
    };
  };

/** Null if none is known. */
export const oldestOf = (versions: readonly (string | null)[]): string | null =>
  versions.flatMap((version) => version ?? []).toSorted(Bun.semver.order)[0] ?? null;

/** `:443 is not open: held by nginx (process 123)`. */
export const sentenceOfClosed = ({ address, reason }: { address: string; reason: string }) =>
  `${address} is not open: ${reason}`;
