/** Which tests start a Caddy, and so have to hold on a newer one as well. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Glob, Transpiler } from 'bun';

const ROOT = join(import.meta.dir, '../..');
/** What starts one: a stack, the program or its parts, or a test by itself. */
const STARTS = /\bstart\w*Stack\(|\brunProgram\(|\bserve(?:All|Agent)\(|\bmain\.ts\b|'caddy'/;
/** Nearly every test has its tools from here; what starts a stack names it. */
const TOOLS = join(import.meta.dir, 'stack.ts');
/** What they see of Caddy is in the hub's answers, which other tests compare. */
const BEHIND_THE_HUB = [
  'test/agent/app',
  'test/architecture',
  'test/attack/agent-door',
  'test/attack/first-owner',
  'test/attack/load',
  'test/attack/mute-',
  'test/attack/streams',
  'test/attack/terminal',
  'test/browser/',
  'test/chaos/outages-',
  'test/e2e/agent-tls',
  'test/e2e/agents',
  'test/e2e/backup',
  'test/e2e/binary',
  'test/e2e/damaged',
  'test/e2e/import',
  'test/e2e/progress',
  'test/e2e/promote',
  'test/e2e/refused-start',
  'test/e2e/restore',
  'test/e2e/site',
  'test/e2e/stopping',
  'test/e2e/systemd',
  'test/hub/auth/',
  'test/hub/changelog/',
  'test/hub/dashboard/',
  'test/hub/db/',
  'test/hub/hosts',
  'test/hub/http/',
  'test/hub/logs/',
  'test/hub/matrix',
  'test/hub/openapi/',
  'test/hub/policies/exchange',
  'test/hub/property',
  'test/hub/publish/batches',
  'test/hub/model/changes',
  'test/hub/publish/contention',
  'test/hub/publish/disk',
  'test/hub/publish/hung-proxy',
  'test/hub/publish/ownership',
  'test/hub/publish/unknown',
  'test/hub/publish/unreachable',
  'test/hub/state/activity',
  'test/hub/state/log-warnings',
  'test/hub/state/silent-agent',
  'test/program/',
];

const transpiler = new Transpiler({ loader: 'ts' });

function starts(file: string): boolean {
  if (file === TOOLS) return false;
  const text = readFileSync(file, 'utf8');
  if (STARTS.test(text)) return true;
  return transpiler
    .scanImports(text)
    .map(({ path }) => join(dirname(file), path))
    .some((path) => path.startsWith(join(ROOT, 'test/')) && path.endsWith('.ts') && starts(path));
}

/** The test files that need not run on a newer Caddy, as paths from the root. */
export const withoutCaddy = (): string[] =>
  [...new Glob('test/**/*.test.ts').scanSync(ROOT)]
    .filter(
      (file) => BEHIND_THE_HUB.some((start) => file.startsWith(start)) || !starts(join(ROOT, file)),
    )
    .toSorted();
