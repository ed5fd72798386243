/**
 * One queue, one change at a time: candidate set → render → the agent makes it live → commit.
 * Nothing is stored before the proxy has accepted it, so a refusal has nothing to undo.
 */
import { Failure } from '../../agent/failure.ts';
import type { AgentClient } from '../agent-client.ts';
import { locate, type Rendered, render } from '../caddyfile/render.ts';
import type { Change, Plan } from './changes.ts';
import type { Author, Store } from './store.ts';
import { assertContained, type Dialect, type SiteSet, type Vhost } from './vhost.ts';

export type PublisherDeps = {
  store: Store;
  agent: AgentClient;
  now: () => Date;
  log: (event: string, fields?: Record<string, unknown>) => void;
};

export type Publisher = ReturnType<typeof createPublisher>;

/** Caddy knows heredocs since 2.7. */
const HEREDOCS_SINCE = [2, 7] as const;

export function createPublisher({ store, agent, now, log }: PublisherDeps) {
  let accepted: SiteSet = store.load();
  let dialect: Dialect | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(run: () => Promise<T>): Promise<T> {
    const result = last.then(run, run);
    last = result.catch(() => undefined);
    return result;
  }

  /** @throws Failure AGENT_UNREACHABLE */
  async function proxyDialect(): Promise<Dialect> {
    dialect ??= dialectOf((await agent.status()).proxy.version);
    return dialect;
  }

  async function publish<T>(change: Change<T>, author: Author): Promise<T> {
    const at = now();
    const plan = change(accepted, at);
    if ('done' in plan) return plan.done;
    const { next, vhost } = plan;
    if (vhost) {
      assertContained(vhost, next.preamble, await proxyDialect());
      if (!vhost.enabled && vhost.config !== plan.before?.config) await tryEnabled(next, vhost);
    }
    await send(render(next.preamble, next.vhosts), vhost);
    await commit(plan, author, at);
    return plan.result;
  }

  /** A disabled vhost's config is judged as if it were enabled. */
  async function tryEnabled(set: SiteSet, vhost: Vhost): Promise<void> {
    const vhosts = set.vhosts.map((one) => (one.id === vhost.id ? { ...one, enabled: true } : one));
    const rendered = render(set.preamble, vhosts);
    await placed(agent.validate(rendered.text), rendered, vhost);
  }

  const send = (rendered: Rendered, vhost: Vhost | null) =>
    placed(agent.reload(rendered.text), rendered, vhost);

  /** The proxy has it and the database cannot take it: the proxy goes back too. */
  async function commit(plan: Plan<unknown>, author: Author, at: Date): Promise<void> {
    try {
      store.commit(plan, author, at);
    } catch (error) {
      log('commit failed', { reason: String(error) });
      await agent.reload(render(accepted.preamble, accepted.vhosts).text).catch(() => undefined);
      throw error;
    }
    accepted = plan.next;
  }

  return {
    /** What is accepted and stored. */
    current: (): SiteSet => accepted,

    /**
     * @returns the change's result once it is live and recorded
     * @throws Failure with everything as it was before
     */
    apply: <T>(change: Change<T>, author: Author): Promise<T> =>
      inTurn(() => publish(change, author)),

    /** Publishes the stored set where the proxy serves another one. @throws Failure as apply */
    reconcile: (): Promise<void> =>
      inTurn(async () => {
        if (!store.hasPublished()) return;
        const { text } = render(accepted.preamble, accepted.vhosts);
        const digest = new Bun.CryptoHasher('sha256').update(text).digest('hex');
        const status = await agent.status();
        dialect = dialectOf(status.proxy.version);
        if (status.liveDigest === digest && status.fileDigest === digest) return;
        await agent.reload(text);
        log('published again', { digest });
      }),
  };
}

/** Tells a refusal's line as one of the vhost's own config, or names the vhost it lies in. */
async function placed<T>(call: Promise<T>, rendered: Rendered, own: Vhost | null): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof Failure) || error.line === undefined) throw error;
    const words = (error.detail ?? '').replace(/^line \d+: /, '');
    const place = locate(rendered, error.line);
    if (place === null) {
      throw new Failure(error.code, error.message, { detail: `preamble: ${words}` });
    }
    if (place.id !== own?.id) {
      const detail = `in ${place.domain}, line ${place.line}: ${words}`;
      throw new Failure(error.code, error.message, { detail });
    }
    const detail = `line ${place.line}: ${words}`;
    throw new Failure(error.code, error.message, { detail, line: place.line });
  }
}

function dialectOf(version: string | null): Dialect {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  const [sinceMajor, sinceMinor] = HEREDOCS_SINCE;
  return { heredocs: major > sinceMajor || (major === sinceMajor && minor >= sinceMinor) };
}
