/** Starts another program of Caddy beside the one that runs, asks both, and hands the endpoint and the ports over. */
import { existsSync, rmSync } from 'node:fs';
import type { ExchangeRequest } from '../../../src/features/programs/wire.ts';
import { messageOf } from '../../../src/shared/async.ts';
import { type Difference, Failure } from '../../../src/shared/failure.ts';
import { isStorageFault } from '../../../src/shared/http.ts';
import { type Json, type JsonObject, object } from '../../../src/shared/json.ts';
import type { Log } from '../../../src/shared/log.ts';
import { type Admin, createAdmin } from '../../caddy/admin.ts';
import { bootConfig } from '../../caddy/config/patch.ts';
import { socketOf } from '../../caddy/identity.ts';
import { freePorts, listenersOf } from '../../caddy/ports/ports.ts';
import { portsOf } from '../../caddy/ports/sockets.ts';
import { STOP_GRACE_MS } from '../../caddy/process/launch.ts';
import { end, isAlive, type Process } from '../../caddy/process/processes.ts';
import type { Exchangeable } from '../../caddy/proxy.ts';
import type { Ready } from '../../caddy/reload/reload.ts';
import { liveSites } from '../../sites/live-sites.ts';
import { type Asked, askBoth } from './ask-both.ts';
import { createAddresses, rehearsalOf, unsharedIn, withoutHttp3 } from './rehearsal.ts';

export type TakeOverDeps = {
  /** The parts of the proxy that it works with. */
  proxy: Exchangeable;
  admin: Admin;
  userAgent: () => string;
  now: () => Date;
  log: Log;
};

type HandOver = {
  process: Process;
  beside: Admin;
  sum: string | null;
  ready: Ready;
  /** The live configuration. */
  previous: JsonObject;
};

/** `sum`: of the program, null for that of PROXY_BIN. */
type Candidate = {
  bin: string;
  sum: string | null;
  checks: ExchangeRequest['checks'];
  ready: Ready;
  signal: AbortSignal;
};

/** How long the program that runs may take to give its admin endpoint up. */
const VACATED_MS = 5_000;
/** What a new program may take to open all ports once it has accepted a configuration. */
const OPEN_MS = 5_000;
const POLL_MS = 10;

/** Why a program is not put in place. */
export const refused = (differences: Difference[], cause?: unknown) =>
  new Failure('PROGRAM_REFUSED', REFUSED, {
    differences,
    cause,
    detail: differences
      .map(({ domain, reason }) => (domain ? `${domain}: ${reason}` : reason))
      .slice(0, 5)
      .join('; '),
  });
const REFUSED =
  'The new program of Caddy is not as good as the one that runs, which keeps running.';

/** @returns a function that throws Failure PROGRAM_REFUSED, with everything as it was */
export function createTakeOver(deps: TakeOverDeps) {
  const { admin, log } = deps;
  const { kept, probation, managed, proxyfile, secret } = deps.proxy;

  const adminAt = (address: string) => createAdmin({ address, secret });

  /** Beside the usual endpoint, where a killed Caddy may have left a file. */
  function addressBeside(suffix: string): string {
    const socket = socketOf(admin.address);
    if (socket === null) return `localhost:${freePorts(1)[0]}`;
    rmSync(`${socket}.${suffix}`, { force: true });
    return `${admin.address}.${suffix}`;
  }

  async function takeOver({ bin, sum, checks, ready, signal }: Candidate): Promise<Asked> {
    const previous = object(JSON.parse(ready.previous) as Json);
    const unshared = unsharedIn(previous).map((address) => ({
      domain: '',
      reason: `${address} is a unix socket, which two programs cannot share`,
    }));
    if (unshared.length > 0) throw refused(unshared);
    const beside = adminAt(addressBeside('new'));
    const process = await managed.startBeside({ bin, admin: beside }).catch((error: unknown) => {
      log('new program of Caddy not started', { reason: messageOf(error) }, 'warn');
      throw refused([{ domain: '', reason: 'it does not start' }], error);
    });
    try {
      const addressFor = createAddresses();
      const rehearsal = rehearsalOf(ready.configAt(beside.address), addressFor);
      await load(beside, rehearsal);
      // Otherwise the old program might answer instead.
      await opened(process, rehearsal);
      const sites = liveSites(previous);
      const userAgent = deps.userAgent();
      const asked = await askBoth({ sites, checks, addressFor, userAgent, signal });
      if (asked.worse.length > 0) throw refused(asked.worse);
      if (signal.aborted) throw refused([{ domain: '', reason: 'the hub has cancelled it' }]);
      await managed.handOver(process, () =>
        admin.hold(() => handOver({ process, beside, sum, ready, previous })),
      );
      return asked;
    } catch (error) {
      await end(process, 0);
      throw error;
    }
  }

  /** @throws Failure PROGRAM_REFUSED */
  async function load(to: Admin, config: JsonObject): Promise<void> {
    const reason = await to.load(JSON.stringify(config)).then(
      ({ error }) => error,
      (error: unknown) => messageOf(error),
    );
    if (reason !== null) throw refused([{ domain: '', reason }]);
  }

  /** Waits until the process listens on all TCP ports of its configuration. @throws Failure PROGRAM_REFUSED */
  async function opened(process: Process, config: JsonObject): Promise<void> {
    const wanted = new Set(listenersOf(withoutHttp3(config)).map(({ port }) => port));
    for (const until = performance.now() + OPEN_MS; ; await Bun.sleep(POLL_MS)) {
      const missing = wanted.difference(openPorts(process));
      if (missing.size === 0) return;
      if (!isAlive(process) || performance.now() > until) {
        const reason = `it does not open port ${[...missing].join(', ')}`;
        throw refused([{ domain: '', reason }]);
      }
    }
  }

  /**
   * Gives the admin endpoint and the ports to the new program. The old one serves until that is done: if it fails,
   * it just goes on.
   */
  async function handOver({ process, beside, sum, ready, previous }: HandOver): Promise<void> {
    const [old, moved] = [adminAt(admin.address), adminAt(addressBeside('old'))];
    const aside = bootConfig({ listen: moved.address, origins: [moved.secret] });
    const until = new Date(deps.now().getTime() + probation.longest);
    let isStored = false;
    try {
      // Two programs cannot share a UDP port (Caddy 2.6.2).
      await load(old, withoutHttp3({ ...previous, admin: object(aside.admin) }));
      await vacated(old);
      kept.use(sum, { former: proxyfile.read(), digest: ready.digest, until });
      isStored = true;
      ready.swapIn();
      const config = ready.configAt(admin.address);
      await load(beside, config);
      await opened(process, config);
      if ((await old.liveId()) !== ready.id) throw new Error('it does not show its configuration');
    } catch (error) {
      if (isStored) await probation.takeBack().catch(notTakenBack);
      // First, because it may have the endpoint that the old one takes again.
      await end(process, STOP_GRACE_MS);
      await moved.load(ready.previous, true).catch(notTakenBack);
      if (error instanceof Failure || isStorageFault(error)) throw error;
      throw refused([{ domain: '', reason: messageOf(error) }], error);
    }
    probation.begin();
    // If this fails, the old one is ended as it is.
    await moved.load(JSON.stringify(aside)).catch(() => {});
  }

  function notTakenBack(error: unknown): void {
    log('exchange of Caddy not taken back', { reason: messageOf(error) }, 'error');
  }

  /**
   * Waits until nobody listens at the endpoint that the old program gave up. Go removes a socket's file before it
   * stops to listen; since 2.7, Caddy leaves it there.
   */
  async function vacated(old: Admin): Promise<void> {
    const socket = socketOf(admin.address);
    const until = performance.now() + VACATED_MS;
    const isHeld = async () => (socket === null || existsSync(socket)) && (await old.answers());
    while ((await isHeld()) && performance.now() < until) await Bun.sleep(POLL_MS);
    if (socket !== null) rmSync(socket, { force: true });
  }

  return takeOver;
}

function openPorts(process: Process): Set<number> {
  try {
    return new Set(portsOf(process.pid, 'tcp'));
  } catch {
    return new Set();
  }
}
