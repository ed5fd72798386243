/** Limits what one run of Caddy may use, through libc: Bun has no limits for child processes. */
import { FFIType } from 'bun:ffi';
import { openLibc } from '../../src/shared/libc.ts';

/** Of setrlimit(2), on x86-64 and arm64. */
const RLIMIT_DATA = 2;

const MIB = 1024 * 1024;

/**
 * The bytes of memory that Caddy may use to read a Caddyfile: 10,000 sites in 640 kB take 143 MiB
 * to validate, and 226 MiB with a log each.
 */
export const memoryLimit = (text: string): number => 512 * MIB + 512 * text.length;

/**
 * The milliseconds it may take: 10,000 sites take 1.3 s, and 18 s with a log each.
 * @param most never more than this
 */
export const timeLimit = (text: string, most: number): number =>
  Math.min(most, 5_000 + Math.ceil(text.length / 20));

let library: ReturnType<typeof openLibrary> | undefined;

/**
 * Bounds a process's memory from now on; Caddy exits when it needs more. RLIMIT_DATA counts only
 * memory that can be written to: Go reserves far more address space than it uses, so a limit on
 * that would stop it from starting. Has no effect if the kernel refuses.
 * @param bytes hard and soft limit
 */
export function limitMemory(pid: number, bytes: number): void {
  try {
    library ??= openLibrary();
    const limit = BigUint64Array.of(BigInt(bytes), BigInt(bytes));
    library.symbols.prlimit(pid, RLIMIT_DATA, limit, null);
  } catch {
    // No such C library: the limit on time still holds.
  }
}

const openLibrary = () =>
  openLibc({
    prlimit: {
      args: [FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr],
      returns: FFIType.i32,
    },
  });
