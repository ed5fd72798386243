/** Loads a configuration: all of its listeners, or those that can be opened. */
import type { JsonObject } from '../../../src/shared/json.ts';
import type { Log } from '../../../src/shared/log.ts';
import { type Admin, type AdminAnswer, proxyUnreachable } from '../admin.ts';
import { parseStampId, patchConfig, type Stamp, stampId } from '../config/patch.ts';
import { listenerIn, whyClosed, withoutListeners } from '../ports/closed.ts';
import {
  isForbidden,
  type Listener,
  nameOf,
  obstacleTo,
  obstructed,
  obstructedHttp3,
} from '../ports/ports.ts';
import { isSoleHolder } from '../ports/sockets.ts';
import { rejected } from '../words.ts';
import type { Recovery, RecoveryDeps } from './recovery.ts';

type LoadDeps = {
  admin: Admin;
  recovery: Recovery;
  managed?: RecoveryDeps['managed'];
  log: Log;
};

export type Load = {
  /** The live configuration, as JSON text and as its stamp says. @throws AdminUnreachable */
  live(): Promise<{ digest: string | null; hub: string | null; lacking: boolean; json: string }>;
  /**
   * Makes a configuration live.
   * @param previous the live configuration as JSON text
   * @param partial whether to do without the listeners that cannot be opened. Those that the live
   * configuration does without do not count either way.
   * @throws Failure PROXY_REJECTED, PROXY_UNREACHABLE after an attempt to restore `previous`
   */
  load(adapted: JsonObject, stamp: Stamp, previous: string, partial: boolean): Promise<void>;
  /** @throws Failure PROXY_REJECTED if it needs a listener that cannot be opened; as `load` */
  assertOpenable(adapted: JsonObject, previous: string): void;
  /** The listeners that the live configuration does without. */
  closed(): readonly Listener[];
  /** Whether one of them could be opened now. */
  canReopen(): boolean;
  /** Forgets what is live: something else is, or may be. */
  forget(): void;
};

/** `http app module: start: listening on :443: …` */
const FAILED_START = /: start: /;

/** Each failed start may cost a restart of Caddy. */
const MOST_ATTEMPTS = 10;

export function createLoad({ admin, recovery, managed, log }: LoadDeps): Load {
  /** What was loaded last, as JSON: what a refused load goes back to. */
  let loaded: { id: string; json: string } | null = null;
  let closed: readonly Listener[] = [];
  /** Those of them that only Caddy's own attempt showed to be impossible. */
  let failed: readonly Listener[] = [];

  const mayNotOpen = (port: number): boolean => isForbidden(port, managed?.pid() ?? null);

  /** Whether Caddy alone has the port. */
  const isOwn = ({ port, udp }: Listener): boolean => {
    const pid = managed?.pid() ?? null;
    return pid !== null && isSoleHolder(pid, port, udp ? 'udp' : 'tcp');
  };

  /** A socket of Caddy's own on a port that is not live: a failed start has left it behind. */
  const isStray = (listener: Listener): boolean => !listener.udp && isOwn(listener);

  const wasClosed = (listener: Listener): boolean =>
    closed.some((one) => nameOf(one) === nameOf(listener));

  /** @throws Failure PROXY_REJECTED */
  function refuse(listeners: readonly Listener[]): void {
    const [first] = listeners.filter((listener) => !wasClosed(listener));
    if (first === undefined) return;
    throw rejected(`listening on ${nameOf(first)}: ${obstacleIn(first)}`);
  }

  /** In Caddy's words. */
  function obstacleIn(listener: Listener): string {
    if (mayNotOpen(listener.port)) return 'permission denied';
    return obstacleTo(listener) === 'no address'
      ? 'cannot assign requested address'
      : `address already in use, ${whyClosed(listener)}`;
  }

  /** @throws Failure, after an attempt to restore `previous` */
  async function attempt(config: JsonObject, id: string, previous: string, last: boolean) {
    const json = JSON.stringify(config);
    let answer: AdminAnswer;
    try {
      answer = await admin.load(json);
    } catch (cause) {
      throw await recovery.restore(previous, proxyUnreachable(cause));
    }
    if (answer.error !== null) {
      const listener = FAILED_START.test(answer.error) ? listenerIn(answer.error) : null;
      const again = !last && listener !== null;
      const error = FAILED_START.test(answer.error)
        ? await recovery.restoreAfterStart(previous, config, answer.error, !again)
        : await recovery.restore(previous, rejected(answer.error));
      if (again) return listener;
      throw error;
    }
    const live = await admin.liveId().catch(() => undefined);
    if (live !== id) {
      const error = proxyUnreachable('the proxy accepted the configuration but does not show it');
      throw await recovery.restore(previous, error);
    }
    loaded = { id, json };
    return null;
  }

  /** Says so when other listeners than before are closed. */
  function note(now: readonly Listener[]): void {
    const [before, after] = [closed.map(nameOf).join(), now.map(nameOf).join()];
    closed = now;
    if (before === after) return;
    if (now.length === 0) log('all listeners open');
    const listeners = now.map((one) => `${nameOf(one)}: ${whyClosed(one) ?? 'not open'}`);
    if (now.length > 0) log('listeners closed', { listeners }, 'warn');
  }

  return {
    async live() {
      const id = await admin.liveId();
      const stamp = parseStampId(id);
      closed = stamp?.closed ?? [];
      const json = loaded !== null && loaded.id === id ? loaded.json : await admin.config();
      const { digest = null, hub = null, lacking = false } = stamp ?? {};
      return { digest, hub, lacking, json };
    },

    async load(adapted, stamp, previous, partial) {
      const blocked = obstructed(adapted, previous, mayNotOpen);
      const strays = blocked.filter(isStray);
      if (strays.length > 0) await recovery.restart(`stray listeners on ${strays.map(nameOf)}`);
      const out = blocked.filter((listener) => !strays.includes(listener));
      if (!partial) refuse(out);
      const found = partial ? [] : [...failed];
      for (;;) {
        const next = { ...stamp, closed: [...out, ...found] };
        const isWhole = next.closed.length === 0;
        const config = patchConfig(
          isWhole ? adapted : withoutListeners(adapted, next.closed),
          next,
        );
        const isLast = !partial || found.length >= MOST_ATTEMPTS;
        const listener = await attempt(config, stampId(next), previous, isLast);
        if (listener === null) {
          failed = found;
          return note(next.closed);
        }
        found.push(listener);
      }
    },

    assertOpenable(adapted, previous) {
      const blocked = [
        ...obstructed(adapted, previous, mayNotOpen),
        // A load leaves these to Caddy, which may be about to close one of its own.
        ...obstructedHttp3(adapted, previous),
      ];
      refuse(blocked.filter((listener) => !isOwn(listener)));
    },

    closed: () => closed,
    canReopen: () => closed.some((one) => obstacleTo(one) === null || isStray(one)),
    forget() {
      loaded = null;
    },
  };
}
