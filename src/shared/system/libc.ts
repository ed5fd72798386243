/** Opens the C library, for the few system calls that Bun does not offer. */
import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

/** The C library as glibc and musl name it on this architecture. */
const LIBRARIES = [
  'libc.so.6',
  `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`,
];

/** @throws Error if there is no such library, or it lacks one of the functions */
export function openLibc<const F extends Record<string, FFIFunction>>(functions: F): Library<F> {
  let reason: unknown;
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, functions);
    } catch (error) {
      reason = error;
    }
  }
  throw reason;
}
