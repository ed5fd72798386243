/** Caches the certificate of each name, because thousands of handshakes would take minutes. */
import { createConcurrencyLimit } from '../../src/shared/async.ts';
import { growing } from '../../src/shared/every.ts';
import type { SiteCertificate } from '../../src/shared/wire/sites.ts';
import type { Pace } from '../pace.ts';
import type { HandshakeResult, Target } from './handshake.ts';

/** `automated`: the proxy renews the certificate. */
export type Certified = Target & { automated?: boolean };

type LastHandshake = HandshakeResult & { at: Date };

type Certificates = {
  /** Makes the handshakes that are due; resolves when they are done, however long that takes. */
  refresh(targets: readonly Certified[]): Promise<void>;
  /** The last handshake, or null before the first. */
  last(target: Target): LastHandshake | null;
  /** Makes names due, by default all of them. */
  expire(isExpired?: (name: string) => boolean): void;
  /** Forgets all names but these. */
  keep(targets: readonly Target[]): void;
};

/** Each handshake costs the proxy a signature. */
const AT_ONCE = 8;
/** After a reload, Caddy may still accept a connection on the old configuration's listener. */
const SETTLING_MS = 2_000;
/** When the hub calls one overdue: with a sixth of its lifetime left, or two weeks if nobody renews it. */
const ENDING_SHARE = 1 / 6;
const UNATTENDED_MS = 14 * 86_400_000;

type Entry = {
  last: LastHandshake | null;
  due: number;
  failures: number;
  /** When the name was last made due. */
  expired: number;
  running: Promise<void> | null;
};

export function createCertificates(
  handshake: (target: Target) => Promise<HandshakeResult>,
  pace: Pace['certificates'],
  now: () => Date,
): Certificates {
  const entries = new Map<string, Entry>();
  const limited = createConcurrencyLimit({ concurrency: AT_ONCE });

  async function update(target: Certified, entry: Entry): Promise<void> {
    const result = await handshake(target);
    const at = now();
    entry.last = { ...result, at };
    entry.failures = result.certificate ? 0 : entry.failures + 1;
    const isSettled = at.getTime() - entry.expired > SETTLING_MS;
    entry.due =
      at.getTime() +
      (result.certificate && isSettled
        ? keptFor(result.certificate, target, at.getTime(), pace)
        : growing(entry.failures, pace.failed, pace.failedMost));
    entry.running = null;
  }

  return {
    async refresh(targets) {
      const time = now().getTime();
      const pending: Promise<void>[] = [];
      for (const target of targets) {
        const key = keyOf(target);
        const entry = entries.get(key) ?? emptyEntry();
        entries.set(key, entry);
        if (entry.due <= time) entry.running ??= limited(() => update(target, entry));
        if (entry.running !== null) pending.push(entry.running);
      }
      await Promise.all(pending);
    },

    last: (target) => entries.get(keyOf(target))?.last ?? null,

    expire(isExpired = () => true) {
      for (const [key, entry] of entries) {
        if (!isExpired(key.slice(key.indexOf(' ') + 1))) continue;
        entry.due = 0;
        entry.failures = 0;
        entry.expired = now().getTime();
      }
    },

    keep(targets) {
      const kept = new Set(targets.map(keyOf));
      for (const key of entries.keys()) if (!kept.has(key)) entries.delete(key);
    },
  };
}

const keyOf = ({ host, port, name }: Target) => `${host}:${port} ${name}`;

const emptyEntry = (): Entry => ({ last: null, due: 0, failures: 0, expired: 0, running: null });

/** Milliseconds until the next handshake. */
function keptFor(
  { notBefore, notAfter }: SiteCertificate,
  { automated = true }: Certified,
  time: number,
  { ending, good }: Pace['certificates'],
): number {
  const [from, to] = [Date.parse(notBefore), Date.parse(notAfter)];
  const early = automated ? (to - from) * ENDING_SHARE : UNATTENDED_MS;
  return Math.max(ending, Math.min(good, to - early - time));
}
