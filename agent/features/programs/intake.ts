/** Takes a program of Caddy in, from a request or an address; it is checked before it is kept. */
import { chmodSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { MOST_PROGRAM_BYTES, type Program } from '../../../src/features/programs/wire.ts';
import { messageOf } from '../../../src/shared/async.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { isStorageFault } from '../../../src/shared/http.ts';
import { type Commanded, describe, flawIn } from '../../caddy/process/program.ts';
import type { KeptPrograms } from '../../caddy/programs/kept-programs.ts';

export type IntakeDeps = {
  kept: KeptPrograms;
  /** How its commands are run. */
  commands: Commanded;
};

/** Of the ELF header (elf(5)): 64 bit, little-endian, and the machines that signalbox is built for. */
const MAGIC = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
const MACHINE_AT = 18;
const MACHINES: Partial<Record<NodeJS.Architecture, number>> = { x64: 62, arm64: 183 };
const HEADER_BYTES = 20;

/** Enough for 200 MB at 10 Mbit/s. */
const FETCH_MS = 170_000;

const refused = (message: string, cause?: unknown) =>
  new Failure('INVALID_REQUEST', message, { cause });

/**
 * Stores a program that is not run yet, in place of one that was stored so before.
 * @param expected its SHA-256, if that is known
 * @throws Failure INVALID_REQUEST; file system errors
 */
export async function takeIn(
  body: ReadableStream<Uint8Array>,
  expected: string | undefined,
  { kept, commands }: IntakeDeps,
): Promise<Program> {
  const file = kept.makeRoom();
  try {
    const sum = await store(body, file);
    if (expected !== undefined && sum !== expected) {
      throw refused(`The file has another checksum than was given: ${sum}.`);
    }
    chmodSync(file, 0o755);
    const found = await describe({ ...commands, bin: file });
    const flaw = flawIn(found);
    if (flaw !== null) throw refused(flaw);
    kept.prune();
    kept.keep(file, sum);
    return {
      sha256: sum,
      version: found?.version ?? null,
      modules: [...(found?.modules ?? [])],
      since: null,
    };
  } finally {
    rmSync(dirname(file), { recursive: true, force: true });
  }
}

/** @returns its checksum @throws Failure INVALID_REQUEST; file system errors; what the stream throws */
async function store(body: ReadableStream<Uint8Array>, file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  const header = Buffer.alloc(HEADER_BYTES);
  let size = 0;
  const handle = await open(file, 'wx', 0o700);
  try {
    for await (const chunk of body) {
      if (size < HEADER_BYTES) {
        Buffer.from(chunk).copy(header, size);
        if (size + chunk.length >= HEADER_BYTES) assertProgram(header);
      }
      size += chunk.length;
      if (size > MOST_PROGRAM_BYTES) throw refused('The file is larger than 200 MB.');
      hasher.update(chunk);
      await handle.writeFile(chunk);
    }
  } finally {
    await handle.close();
  }
  if (size < HEADER_BYTES) assertProgram(header.subarray(0, size));
  return hasher.digest('hex');
}

/** @throws Failure INVALID_REQUEST unless it begins a program of this machine */
function assertProgram(header: Buffer): void {
  const isElf = header.length === HEADER_BYTES && MAGIC.every((byte, at) => header[at] === byte);
  if (!isElf) {
    throw refused(
      'The file is not a Linux program (ELF, 64 bit): scripts and archives are refused.',
    );
  }
  if (header.readUInt16LE(MACHINE_AT) !== MACHINES[process.arch]) {
    throw refused(`The program is for another processor: this machine is ${process.arch}.`);
  }
}

/**
 * Fetches a program and takes it in.
 * @param expected its SHA-256
 * @throws as `takeIn`
 */
export async function fetchIn(url: string, expected: string, deps: IntakeDeps): Promise<Program> {
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) });
  } catch (error) {
    throw refused(`The address cannot be reached: ${messageOf(error)}.`, error);
  }
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw refused(`The address answered ${response.status}.`);
  }
  try {
    return await takeIn(response.body, expected, deps);
  } catch (error) {
    if (error instanceof Failure || isStorageFault(error)) throw error;
    throw refused(`The file could not be fetched whole: ${messageOf(error)}.`, error);
  }
}
