/** Programs of Caddy for the PROXY_BIN of a lone agent: real ones, and bad ones that are made on the spot. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ProgramsAnswer } from '../../src/features/programs/wire.ts';
import { CADDYS } from './caddys.ts';
import { type LoneAgent, startLoneAgent } from './lone-agent.ts';
import { SLOWNESS } from './speed.ts';
import { temporaryFolder, until } from './stack.ts';

export const sumOf = (bytes: Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** The program that agents of tests run. */
export const OWN = Bun.which('caddy') ?? '';

/** Another version of it; with one Caddy only, the same with a byte more, which is another program all the same. */
export function anotherCaddy(): string {
  const other = CADDYS.find(({ bin }) => sumOf(readFileSync(bin)) !== sumOf(readFileSync(OWN)));
  if (other) return other.bin;
  const file = join(temporaryFolder(), 'caddy');
  copyFileSync(OWN, file);
  appendFileSync(file, '\0');
  return file;
}

/** Puts a program at a path as a package manager does. */
export function place(bin: string, of: string): void {
  copyFileSync(of, `${bin}.new`);
  renameSync(`${bin}.new`, bin);
}

/**
 * The file of a program that does the wrong thing which `mode` names, and in all else what Caddy does. It waits a
 * little first: Bun reserves memory as it starts, and aborts if its limit is set in the middle of that.
 */
export function badCaddy(folder: string, mode: string): string {
  const file = join(folder, 'bad-caddy');
  const lines = [
    '#!/bin/sh',
    `case "$1 is: ${mode}" in`,
    // It gets the variables of Caddy alone.
    `run*) sleep 0.1; SLOWNESS=${SLOWNESS} exec '${process.execPath}' '${join(import.meta.dir, 'bad-caddy.ts')}' '${mode}' ;;`,
    '"version is: hangs"|"list-modules is: hangs later") exec sleep 60 ;;',
    '"version is: is another program") echo "BusyBox v1.35.0"; exit ;;',
    '"version is: is too old") echo "v2.6.1 h1:stand-in="; exit ;;',
    'version*) echo "v2.11.99 h1:stand-in="; exit ;;',
    '"list-modules is: lacks a module") echo http.handlers.static_response; exit ;;',
    '"validate is: refuses a directive") cat > /dev/null',
    '  echo "Error: adapting config using caddyfile: Caddyfile:7: no such directive: respond" >&2; exit 1 ;;',
    'esac',
    `exec '${OWN}' "$@"`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o755 });
  return file;
}

/** What an agent answers to a restart. */
type Restarted = Partial<ProgramsAnswer> & {
  code?: string;
  message?: string;
  detail?: string;
};

/** An agent with a copy of Caddy as its PROXY_BIN. @param isApart as in `startLoneAgent` */
export async function startWithPrograms(isApart = false, more: Record<string, string> = {}) {
  const bin = join(temporaryFolder(), 'caddy');
  place(bin, OWN);
  const agent = await startLoneAgent({ ...more, PROXY_BIN: bin }, isApart);
  return { agent, bin, ...programsOf(agent), place: (of: string) => place(bin, of) };
}

export function programsOf(agent: LoneAgent) {
  const folder = join(agent.dataDir, 'caddy/programs');
  const programs = async () => (await agent.get<ProgramsAnswer>('/proxy/programs')).body;
  return {
    programs,
    restart: () => agent.get<Restarted>('/proxy/restart', {}),
    /** The sum of the program that is kept. */
    kept: (): string | undefined =>
      existsSync(folder)
        ? readdirSync(folder).flatMap((name) => name.split('caddy-')[1] ?? [])[0]
        : undefined,
    /** Waits until the agent has tried what is at PROXY_BIN. */
    tried: () => until(async () => (await programs()).next, 'that it was tried', 60_000),
  };
}
