/** Ends of the access log that were cut, and the room that it has. */
import { afterEach, expect, test } from 'bun:test';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLogWatch, endLastLines } from '../../../agent/caddy/access-log.ts';
import { createWarnings } from '../../../agent/warnings.ts';
import { mayMount, mountSmall, unmount } from '../../harness/mount.ts';
import { startStack, temporaryFolder, until } from '../../harness/stack.ts';

const after: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of after.splice(0).reverse()) await undo();
});

const CUT = [
  '{"level":"info","ts":17952',
  '\0'.repeat(5_000),
  `{"level":"info"${'\0'.repeat(900)}`,
];

test('a line that was cut is ended', async () => {
  const folder = temporaryFolder();
  after.push(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'access.log');
  for (const end of CUT) {
    writeFileSync(file, `whole\n${end}`);
    await endLastLines(file);
    expect(readFileSync(file, 'utf8')).toBe(`whole\n${end}\n`);
  }
});

test('the first request after a half line and zeros is in the log', async () => {
  const stack = await startStack();
  after.push(() => stack.stop());
  const send = (path: string) => stack.served('a.example', path);
  const logged = async () => {
    const page = await stack.askAgent<{ logs: { path: string }[] }>('/logs');
    return page.body.logs.map(({ path }) => path);
  };
  await stack.askAgent('/proxy/reload', {
    proxyfile: `http://a.example:${stack.httpPort} {\nrespond x\n}\n`,
  });
  await send('/first');
  await until(async () => (await logged()).includes('/first'), 'the first request');
  await stack.restart(() => appendFileSync(stack.accessLog, CUT[2] ?? ''));
  await until(() => send('/second').catch(() => null), 'Caddy');
  await until(async () => (await logged()).length > 1, 'the second request');
  expect((await logged()).toSorted()).toEqual(['/first', '/second']);
});

test('a whole line is not ended again, and a link is not followed', async () => {
  const folder = temporaryFolder();
  after.push(() => rmSync(folder, { recursive: true }));
  const [file, link] = [join(folder, 'access.log'), join(folder, 'signalbox-errors.log')];
  await endLastLines(file);
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(file, 'whole\n');
  writeFileSync(join(folder, 'other'), 'half');
  symlinkSync(join(folder, 'other'), link);
  await endLastLines(file);
  expect([readFileSync(file, 'utf8'), readFileSync(link, 'utf8')]).toEqual(['whole\n', 'half']);
});

test.skipIf(!mayMount)('a disk that is almost full is warned of until there is room', async () => {
  const folder = temporaryFolder();
  after.push(() => rmSync(folder, { recursive: true }));
  expect(mountSmall(folder, 'size=1m')).toBe(true);
  after.push(() => unmount(folder));
  const warnings = createWarnings(() => {});
  const watch = createLogWatch({
    file: join(folder, 'access.log'),
    pid: () => null,
    reopen: async () => true,
    every: 10,
    now: () => new Date(),
    warnings,
    log: () => {},
  });
  after.push(() => watch.end());
  watch.begin();
  writeFileSync(join(folder, 'large'), Buffer.alloc(1_020_000));
  await until(() => warnings.list()[0]?.includes('almost full (2 % free)'), 'the warning');
  rmSync(join(folder, 'large'));
  await until(() => warnings.list().length === 0, 'no warning');
});
