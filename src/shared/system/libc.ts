/** Opens the C library, for the few system calls that Bun does not offer. */
import { dlopen, type FFIFunction, type Library } from 'bun:ffi';

/** @throws Error if there is no glibc, or it lacks one of the functions */
export const openLibc = <const F extends Record<string, FFIFunction>>(functions: F): Library<F> =>
  dlopen('libc.so.6', functions);
