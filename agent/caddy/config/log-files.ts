/**
 * Which logs of sites Caddy's user may not write. Caddy 2.6.2 opens a file with its first entry, and drops what
 * it cannot write; 2.11 refuses such a text by itself.
 */
import { isAbsolute } from 'node:path';
import { field, type Json, object } from '../../../src/shared/json.ts';
import { run } from '../../../src/shared/system/run.ts';

/** More are not looked at: each takes a process of `sh` some microseconds. */
const MOST_FILES = 200;
/** Milliseconds for which an answer counts. */
const KEPT_MS = 60_000;
const DEADLINE_MS = 2_000;
/** As many paths as Linux allows, each as long. */
const MOST_BYTES = MOST_FILES * 4_096;

/** Prints those of its arguments that cannot be written: neither the file nor, to create it, what is above it. */
const LOOK = `
for file; do
  if [ -e "$file" ]; then [ -f "$file" ] && [ -w "$file" ] && continue
  else
    folder=$file
    while folder=$(dirname "$folder"); ! [ -e "$folder" ]; do :; done
    [ -d "$folder" ] && [ -w "$folder" ] && [ -x "$folder" ] && continue
  fi
  printf '%s\\n' "$file"
done`;

/**
 * @param prefix what a command line starts with to run as Caddy's user
 * @param now milliseconds of any clock that does not jump
 * @returns a function that gives the paths in an adapted configuration, and never fails
 */
export function createLogFiles(
  prefix: readonly string[],
  now = () => performance.now(),
): (config: Json) => Promise<string[]> {
  const known = new Map<string, { isWritable: boolean; until: number }>();

  async function look(files: readonly string[]): Promise<void> {
    const { stdout, code } = await run({
      command: [...prefix, 'sh', '-c', LOOK, 'sh', ...files],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      limit: DEADLINE_MS,
      most: MOST_BYTES,
    });
    if (stdout === null || code !== 0) return;
    const lines = new Set(stdout.split('\n'));
    known.clear();
    const until = now() + KEPT_MS;
    for (const file of files) known.set(file, { isWritable: !lines.has(file), until });
  }

  return async (config) => {
    const files = filesIn(config);
    if (files.length === 0) return [];
    try {
      if (files.some((file) => (known.get(file)?.until ?? 0) < now())) await look(files);
    } catch {
      return [];
    }
    return files.filter((file) => known.get(file)?.isWritable === false);
  };
}

/** The files that logs are written to, each once; none whose name only Caddy can tell. */
function filesIn(config: Json): string[] {
  const logs = Object.values(object(field(config, 'logging', 'logs')));
  const found = logs.flatMap((log) => {
    const file = field(log, 'writer', 'output') === 'file' && field(log, 'writer', 'filename');
    const isKnown = typeof file === 'string' && isAbsolute(file) && !/[{\n]/.test(file);
    return isKnown ? [file] : [];
  });
  return [...new Set(found)].slice(0, MOST_FILES);
}
