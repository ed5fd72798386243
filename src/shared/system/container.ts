/** Whether this program runs in a container. */
import { existsSync } from 'node:fs';
import { readIfThere } from './files.ts';

/** What Docker and Podman put into one. */
const MARKS = ['/.dockerenv', '/run/.containerenv'];

/** Podman hides its mark if the file system is read-only, but every engine mounts the names of a container. */
export const isInContainer = (): boolean =>
  MARKS.some((file) => existsSync(file)) ||
  / \/etc\/hosts /.test(readIfThere('/proc/self/mountinfo') ?? '');
