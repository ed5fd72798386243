/**
 * Certificates by DNS-01: runs Debian's `lego`, or another. It gets its credentials in its environment,
 * which is empty but for them, and never a key: that is made here, and lego gets a request signed with it.
 * So nothing secret is on disk but the key of the account at the authority.
 */
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createConcurrencyLimit, createQueue } from '../../../shared/async.ts';
import { Failure } from '../../../shared/failure.ts';
import type { Log } from '../../../shared/log.ts';
import { makePrivate } from '../../../shared/system/files.ts';
import {
  clearFolder,
  newLoopbackCertificate,
  newRequest,
  prepareFolder,
  readChain,
} from './folder.ts';
import { createMask } from './mask.ts';
import { type CertificateOrder, checkOrder, variableOf } from './order.ts';
import {
  type Provider,
  type ProvidersAnswer,
  readIds,
  readProvider,
  sortProviders,
} from './providers.ts';
import { createRunner } from './run.ts';
import { createTryAuthority } from './try-authority.ts';
import { failureOf, notRemoved } from './words.ts';

export type Lego = {
  /** lego's DNS providers with their fields, the common ones first. */
  providers(): Promise<ProvidersAnswer>;
  /**
   * Orders a certificate, with a new key; one order at a time.
   * @throws Failure INVALID_REQUEST naming the field, CERTIFICATE_FAILED with the words of the authority or
   * the provider, STOPPING
   */
  order(order: CertificateOrder): Promise<{ chain: string; key: string }>;
  /** Lets the provider set the records of an order, and remove them. @throws as `order` */
  tryOut(order: CertificateOrder): Promise<void>;
  /** Ends what runs; what waits is refused. */
  end(): Promise<void>;
};

export type LegoSettings = Readonly<{
  /** A name on the PATH, or a path: looked for at each use, so that it can be installed at any time. */
  bin: string;
  /** The directory of the authority. */
  directory: string;
  /** A PEM file with that authority's roots; null: the machine's. */
  roots: string | null;
  /** For an authority that a provider is tried out with. */
  listenBriefly: ListenBriefly;
}>;

/** Answers HTTPS requests of this machine on a free port, until `stop`. */
type ListenBriefly = (
  answer: (request: Request) => Response,
  tls: { cert: string; key: string },
) => { url: string; stop: () => Promise<void> };

/** How long lego may take, in milliseconds. */
const LIMITS = {
  /** Two names of a slow provider take three minutes. */
  order: 300_000,
  /** Somebody waits for it, and no nameserver is asked. */
  trial: 120_000,
  help: 10_000,
  /** From the request to end to the kill. */
  grace: 2_000,
};

/** How many `lego dnshelp` run at once, of more than a hundred. */
const HELPS_AT_ONCE = 4;

const failed = (message: string, hint?: string): Failure =>
  new Failure('CERTIFICATE_FAILED', message, { hint });

const missing = (): Failure =>
  failed(
    'The hub has no lego, which asks DNS providers.',
    'Install it on the hub’s machine: sudo apt-get install lego',
  );

/**
 * @param folder of the accounts; made when it is needed
 * @param shortened limits, by tests
 */
export function createLego(
  settings: LegoSettings,
  folder: string,
  log: Log,
  shortened: Partial<typeof LIMITS> = {},
): Lego {
  const limits = { ...LIMITS, ...shortened };
  const { run, end } = createRunner(limits.grace);
  const queue = createQueue();
  const help = createConcurrencyLimit({ concurrency: HELPS_AT_ONCE });
  /** What a binary said, as long as that is the one. */
  let known: { of: string; all: Map<string, Promise<string>> } = { of: '', all: new Map() };

  /** @throws Failure CERTIFICATE_FAILED if there is none */
  function find(): string {
    const path = Bun.which(settings.bin);
    if (path === null) throw missing();
    return resolve(path);
  }

  /** What `lego dnshelp` says. @throws Failure as `run` */
  function ask(...args: string[]): Promise<string> {
    const bin = find();
    const { ino, size, mtimeMs } = statSync(bin);
    const of = [bin, ino, size, mtimeMs].join();
    if (known.of !== of) known = { of, all: new Map() };
    const { all } = known;
    const key = args.join(' ');
    const said =
      all.get(key) ??
      help(async () => {
        // It insists on a folder, which it otherwise makes in the working folder.
        makePrivate(folder);
        const command = [bin, '--path', folder, 'dnshelp', ...args] as const;
        const { code, stdout } = await run({ command, env: {}, cwd: '/', limit: limits.help });
        if (code !== 0 || stdout === null) {
          throw failed(`${settings.bin} does not list its DNS providers.`);
        }
        return stdout;
      });
    all.set(key, said);
    said.catch(() => all.delete(key));
    return said;
  }

  async function idsOf(): Promise<string[]> {
    const ids = readIds(await ask());
    if (ids.length > 0) return ids;
    throw failed(`${settings.bin} lists no DNS providers: it is no lego that is known here.`);
  }

  const read = async (id: string): Promise<Provider> => readProvider(id, await ask('-c', id));

  const check = (order: CertificateOrder): Promise<Checked> =>
    checkOrder(order, async (id) => ((await idsOf()).includes(id) ? read(id) : null));

  /**
   * Runs lego for one certificate.
   * @returns its chain, null if there is none, and what lego said
   * @throws Failure as `run`; file system errors
   */
  async function get({ order, provider }: Checked, { own, request, env, ...given }: Attempt) {
    const { email, dns } = order;
    makePrivate(own);
    const file = prepareFolder(own, request);
    const { directory, isChecked, limit, roots } = given;
    const command = [
      find(),
      '--path',
      own,
      `--server=${directory}`,
      '--accept-tos',
      `--email=${email}`,
      '--csr',
      file,
      '--dns',
      provider.id,
      ...(dns.resolvers ?? []).map((one) => `--dns.resolvers=${one}`),
      ...(isChecked ? [] : ['--dns.disable-cp']),
      'run',
    ];
    // Without HOME, libraries of providers look for files in the home of the hub's user.
    const all = { ...dns.credentials, ...env, HOME: own };
    try {
      const ended = await run({
        command,
        cwd: own,
        limit,
        env: roots === null ? all : { ...all, LEGO_CA_CERTIFICATES: roots },
      });
      const mask = createMask(dns.credentials);
      const { stderr: output, isLate, signal } = ended;
      const said = { output, mask, late: isLate ? limit : undefined, signal };
      return { chain: ended.code === 0 ? readChain(own) : null, said };
    } finally {
      clearFolder(own);
    }
  }

  return {
    end,

    async providers() {
      try {
        const all = await Promise.all((await idsOf()).map(read));
        return { available: true, providers: sortProviders(all) };
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'CERTIFICATE_FAILED') throw error;
        const reason = [error.message, error.hint].filter(Boolean).join(' ');
        return { available: false, reason, providers: [] };
      }
    },

    async order(given) {
      const checked = await check(given);
      const { names, dns } = checked.order;
      return queue(async () => {
        log('certificate ordered', { names: names.join(' '), provider: dns.provider });
        const { key, request } = await newRequest(names);
        const { chain, said } = await get(checked, {
          own: folder,
          request,
          directory: settings.directory,
          roots: settings.roots,
          limit: limits.order,
          isChecked: dns.wait === undefined,
          env: dns.wait === undefined ? {} : settingOf(checked, 'POLLING_INTERVAL', dns.wait),
        });
        if (chain === null) throw failureOf(said);
        return { chain, key };
      });
    },

    async tryOut(given) {
      const checked = await check(given);
      return queue(async () => {
        const own = join(folder, 'trial');
        const authority = createTryAuthority(checked.order.names);
        // Newer legos refuse plain HTTP.
        const tls = await newLoopbackCertificate();
        const listening = settings.listenBriefly(authority.answer, tls);
        const roots = join(own, 'roots.pem');
        try {
          makePrivate(own);
          writeFileSync(roots, tls.cert);
          const { said } = await get(checked, {
            own,
            roots,
            request: (await newRequest(authority.names)).request,
            directory: `${listening.url}${authority.path}/directory`,
            limit: limits.trial,
            isChecked: false,
            // Each name's record is gone before the next: there is nothing to wait for.
            env: {
              ...settingOf(checked, 'POLLING_INTERVAL', 1),
              ...settingOf(checked, 'SEQUENCE_INTERVAL', 1),
            },
          });
          if (!authority.isDone()) throw failureOf(said);
          const left = notRemoved(said);
          if (left === null) return;
          const message = 'The DNS provider sets the record, but does not remove it.';
          throw new Failure('CERTIFICATE_FAILED', message, { detail: left });
        } finally {
          await listening.stop();
          rmSync(own, { recursive: true, force: true });
        }
      });
    },
  };
}

type Checked = { order: CertificateOrder; provider: Provider };

type Attempt = {
  /** Of the account. */
  own: string;
  request: string;
  directory: string;
  roots: string | null;
  limit: number;
  /** Whether lego asks the zone's nameservers for the record. */
  isChecked: boolean;
  /** On top of the credentials. */
  env: Record<string, string>;
};

/** A variable of the provider by how it ends, if it has one. */
function settingOf({ provider }: Checked, end: string, value: number): Record<string, string> {
  const name = variableOf(provider, end);
  return name === undefined ? {} : { [name]: String(value) };
}
