/** The tests that run on one Caddy alone are those that do not start any. */
import { expect, test } from 'bun:test';
import { withoutCaddy } from './caddy-facing.ts';

const others = withoutCaddy();

test.each([
  ['with a stack', 'test/hub/vhosts/vhosts.test.ts'],
  ['with a stack of the harness', 'test/attack/files.test.ts'],
  ['as an operator does', 'test/e2e/main.test.ts'],
  ['by way of the folder’s own helper', 'test/chaos/chaos.test.ts'],
  ['for its answers alone', 'test/shared/caddyfile/fuzz.test.ts'],
  ['by itself', 'test/agent/logs/caddy.test.ts'],
])('a file that starts one %s runs on both', (_, file) => expect(others).not.toContain(file));

test.each([
  ['no Caddy at all', 'test/shared/http.test.ts'],
  ['only tools of the stack', 'test/hub/publish/unreachable.test.ts'],
  ['only the build', 'test/e2e/build.test.ts'],
  ['the dashboard', 'test/browser/main.test.ts'],
])('a file with %s does not', (_, file) => expect(others).toContain(file));
