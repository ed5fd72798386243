/** Which program of Caddy runs, and which others the agent keeps. */

import type { Program, ProgramsAnswer } from '../../../src/features/programs/wire.ts';
import type { Json } from '../../../src/shared/json.ts';
import { listenersOf, parseAddress } from '../../caddy/ports/ports.ts';
import { holdersOf } from '../../caddy/ports/sockets.ts';
import { type Described, describe, fileOf, sumOfFile } from '../../caddy/process/program.ts';
import type { Run } from '../../caddy/programs/kept-programs.ts';
import type { ProxyControl } from '../../caddy/proxy.ts';

type Proxy = Pick<ProxyControl, 'admin' | 'commands' | 'exchangeable'>;

/** The program of PROXY_BIN. */
const OWN: Run = { sum: null, since: null };

/** @returns a function that says so; it never fails */
export function createPrograms({ admin, commands, exchangeable }: Proxy) {
  const known = new Map<string, Described & { sha256: string }>();

  /** Null if the program cannot be asked. */
  async function look(bin: string): Promise<(Described & { sha256: string }) | null> {
    const mark = fileOf(bin);
    const last = known.get(mark);
    if (last) return last;
    const [found, sha256] = await Promise.all([describe({ ...commands, bin }), sumOfFile(bin)]);
    if (found === null || sha256 === null) return null;
    if (known.size > MOST_KNOWN) known.clear();
    known.set(mark, { ...found, sha256 });
    return { ...found, sha256 };
  }

  async function programOf({ since }: Run, bin: string): Promise<Program | null> {
    const found = await look(bin);
    return found && { ...found, modules: [...found.modules], since };
  }

  /** The service that runs Caddy, by what it listens on; null if the agent does not see it. */
  async function unitOf(): Promise<string | null> {
    const live = await admin.config().then(
      (text) => listenersOf(JSON.parse(text) as Json),
      () => [],
    );
    const listeners = [...parseAddress(admin.address), ...live.filter(({ udp }) => !udp)];
    for (const { port } of listeners.slice(0, MOST_PORTS)) {
      const holder = holdersOf(port, 'tcp').find(({ unit }) => unit !== null);
      if (holder) return holder.unit;
    }
    return null;
  }

  return async (): Promise<ProgramsAnswer> => {
    if (exchangeable === null) {
      const [current, unit] = await Promise.all([programOf(OWN, commands.bin), unitOf()]);
      return { current, previous: [], probation: null, managed: false, unit };
    }
    const { kept, runs } = exchangeable;
    const [current, ...previous] = await Promise.all([
      programOf(kept.current(), runs()),
      ...kept.previous().map((run) => programOf(run, kept.fileOf(run.sum))),
    ]);
    const until = kept.probation()?.until.toISOString();
    return {
      current,
      // After an upgrade, PROXY_BIN may be the same as the one that it was exchanged for.
      previous: previous.flatMap((one) => (one && one.sha256 !== current?.sha256 ? one : [])),
      probation: until === undefined ? null : { until },
      managed: true,
      unit: null,
    };
  };
}

/** More than an agent has at a time. */
const MOST_KNOWN = 10;
/** To look for who has one takes milliseconds. */
const MOST_PORTS = 3;
