/** What the proxy showed for each name, kept for a while: thousands of names must not cost minutes. */
import type { SiteCertificate } from '../../src/shared/wire-state.ts';
import type { Shown, Target } from './handshake.ts';

/** What is known of a name's certificate, and since when. */
export type Known = Shown & { at: Date };

export type CertificatesDeps = {
  handshake: (target: Target) => Promise<Shown>;
  now: () => Date;
};

export type Certificates = ReturnType<typeof createCertificates>;

/** A handshake costs the proxy a signature. */
const AT_ONCE = 8;
/** After a new configuration or a renewal it is looked at at once. */
const GOOD_MS = 300_000;
/** Caddy may take a connection on the listener of the configuration it is leaving. */
const SETTLING_MS = 2_000;
/** The first look after a failed one; the time doubles with each further failure. */
const FAILED_MS = 5_000;
const FAILED_MOST_MS = 300_000;

type Entry = {
  known: Known | null;
  due: number;
  failures: number;
  /** When there was news of it last. */
  news: number;
  running: Promise<void> | null;
};

export function createCertificates({ handshake, now }: CertificatesDeps) {
  const entries = new Map<string, Entry>();
  const queue: (() => Promise<void>)[] = [];
  let running = 0;

  function work(): void {
    while (running < AT_ONCE) {
      const next = queue.shift();
      if (!next) return;
      running++;
      void next().finally(() => {
        running--;
        work();
      });
    }
  }

  async function look(target: Target, entry: Entry): Promise<void> {
    const shown = await handshake(target);
    const at = now();
    entry.known = { ...shown, at };
    entry.failures = shown.certificate ? 0 : entry.failures + 1;
    const isSettled = at.getTime() - entry.news > SETTLING_MS;
    entry.due = at.getTime() + keptFor(isSettled ? shown.certificate : null, entry.failures);
    entry.running = null;
  }

  return {
    /** Has the names that are due looked at; resolves when they have been, whenever that is. */
    async refresh(targets: readonly Target[]): Promise<void> {
      const time = now().getTime();
      const under: Promise<void>[] = [];
      for (const target of targets) {
        const key = keyOf(target);
        const entry = entries.get(key) ?? emptyEntry();
        entries.set(key, entry);
        if (entry.running === null && entry.due <= time) {
          const { promise, resolve } = Promise.withResolvers<void>();
          entry.running = promise;
          queue.push(() => look(target, entry).then(resolve));
        }
        if (entry.running !== null) under.push(entry.running);
      }
      work();
      await Promise.all(under);
    },

    /** What was last seen; null before the first look. */
    known: (target: Target): Known | null => entries.get(keyOf(target))?.known ?? null,

    /** Makes names due: all, or those for which there is news. */
    expire(isMeant: (name: string) => boolean = () => true): void {
      for (const [key, entry] of entries) {
        if (!isMeant(key.slice(key.indexOf(' ') + 1))) continue;
        entry.due = 0;
        entry.failures = 0;
        entry.news = now().getTime();
      }
    },

    /** Forgets all but these. */
    keep(targets: readonly Target[]): void {
      const kept = new Set(targets.map(keyOf));
      for (const key of entries.keys()) if (!kept.has(key)) entries.delete(key);
    },
  };
}

const keyOf = ({ host, port, name }: Target) => `${host}:${port} ${name}`;

const emptyEntry = (): Entry => ({ known: null, due: 0, failures: 0, news: 0, running: null });

function keptFor(certificate: SiteCertificate | null, failures: number): number {
  if (certificate !== null) return GOOD_MS;
  return Math.min(FAILED_MS * 2 ** Math.max(0, failures - 1), FAILED_MOST_MS);
}
