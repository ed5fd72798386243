/** Programs of Caddy for a lone agent to exchange: real ones, and bad ones that are made on the spot. */
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Program, ProgramsAnswer } from '../../src/features/programs/wire.ts';
import { CADDYS } from './caddys.ts';
import type { LoneAgent } from './lone-agent.ts';
import { type Answer, ask, temporaryFolder } from './stack.ts';

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

/** Whether this machine can run what `badCaddy` makes. */
export const IS_X64 = process.arch === 'x64';

/**
 * A program that does the wrong thing which `misbehave` names, and in all else what Caddy does. Since it is to be
 * an ELF program, and a small one, it is put together here: it has the shell run a script.
 */
export function badCaddy(folder: string): Uint8Array<ArrayBuffer> {
  const script = join(folder, 'bad-caddy.sh');
  const lines = [
    `mode="$(cat '${modeIn(folder)}')"`,
    'case "$1 is: $mode" in',
    `run*) exec '${process.execPath}' '${join(import.meta.dir, 'bad-caddy.ts')}' "$mode" ;;`,
    '"version is: hangs"|"list-modules is: hangs later") exec sleep 60 ;;',
    '"version is: is another program") echo "BusyBox v1.35.0"; exit ;;',
    'version*) echo "v2.11.99 h1:stand-in="; exit ;;',
    '"list-modules is: lacks a module") echo http.handlers.static_response; exit ;;',
    '"validate is: refuses a directive") cat > /dev/null',
    '  echo "Error: adapting config using caddyfile: Caddyfile:7: no such directive: respond" >&2; exit 1 ;;',
    'esac',
    `exec '${OWN}' "$@"`,
  ];
  writeFileSync(script, `${lines.join('\n')}\n`);
  return execOf('/bin/sh', script);
}

/** elf(5): one segment, all of the file. */
const BASE = 0x400000n;
const HEADERS = 64 + 56;

/** A program for x86-64 that is replaced by `command`, with `first` before its own arguments. */
function execOf(command: string, first: string): Uint8Array<ArrayBuffer> {
  const strings = Buffer.from(`${command}\0${first}\0`);
  const at = BASE + BigInt(HEADERS);
  const code = (path: bigint, script: bigint): Buffer => {
    const wide = (value: bigint) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(value);
      return bytes.toString('hex');
    };
    return Buffer.from(
      [
        '488b0c24', // mov rcx, [rsp]: argc
        '488d54cc10', // lea rdx, [rsp + rcx*8 + 16]: envp
        `48bf${wide(path)}48893c24`, // argv[0], where argc was
        `48b8${wide(script)}4889442408`, // argv[1], where argv[0] was
        '4889e6b83b0000000f05', // execve
        'b83c0000000f05', // exit
      ].join(''),
      'hex',
    );
  };
  const { length } = code(0n, 0n);
  const path = at + BigInt(length);
  const text = Buffer.concat([code(path, path + BigInt(command.length + 1)), strings]);
  const header = Buffer.alloc(HEADERS);
  header.write('7f454c4602010100', 'hex');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(62, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(at, 24);
  header.writeBigUInt64LE(64n, 32);
  header.writeUInt16LE(64, 52);
  header.writeUInt16LE(56, 54);
  header.writeUInt16LE(1, 56);
  header.writeUInt32LE(1, 64);
  header.writeUInt32LE(5, 68);
  header.writeBigUInt64LE(BASE, 80);
  header.writeBigUInt64LE(BASE, 88);
  const size = BigInt(HEADERS + text.length);
  header.writeBigUInt64LE(size, 96);
  header.writeBigUInt64LE(size, 104);
  header.writeBigUInt64LE(0x1000n, 112);
  return new Uint8Array(Buffer.concat([header, text]));
}

const modeIn = (folder: string): string => join(folder, 'bad-mode');

type Failed = { code?: string; message?: string; detail?: string };
export type Exchanged = Failed & {
  from?: string | null;
  to?: string | null;
  digest?: string;
  differences?: { domain: string; reason: string }[];
  leftOut?: { reason: string; count: number }[];
};

export function programsOf(agent: LoneAgent) {
  return {
    /** What the next bad Caddy does. */
    misbehave: (mode: string) => writeFileSync(modeIn(agent.folder), mode),
    /** Gives the agent a program. @param sum what it is said to be */
    keep: (bytes: Uint8Array<ArrayBuffer>, sum = sumOf(bytes)): Promise<Answer<Program & Failed>> =>
      ask(`${agent.url()}/proxy/programs?sha256=${sum}`, {
        method: 'PUT',
        raw: bytes,
        headers: { ...agent.headers, 'Content-Type': 'application/octet-stream' },
      }),
    fetch: (url: string, sha256: string) =>
      agent.get<Program & Failed>('/proxy/programs/fetch', { url, sha256 }),
    exchange: (sha256: string, proxyfile: string, more: object = {}) =>
      agent.get<Exchanged>('/proxy/program', { sha256, proxyfile, checks: [], ...more }),
    programs: async () => (await agent.get<ProgramsAnswer>('/proxy/programs')).body,
  };
}
