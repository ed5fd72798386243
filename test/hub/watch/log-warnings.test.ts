import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderForFile } from '../../harness/for-file.ts';
import { ask, signUp, startStack, until } from '../../harness/stack.ts';

const folder = folderForFile();

test('the status says at the start which access logs will be deleted', async () => {
  const rolled = [1, 2, 3].map((day) => `access-2026-11-0${day}T00-00-00.000.log.gz`);
  for (const name of rolled) writeFileSync(join(folder, name), name);
  const stack = await startStack({ ACCESS_LOG: join(folder, 'access.log'), ACCESS_LOG_KEEP: '1' });
  const { headers } = await signUp(stack);
  const warnings = () =>
    ask<{ warnings: string[] }>(`${stack.hub}/status`, { headers }).then(({ body }) =>
      body.warnings.find((each) => each.startsWith('2 rotated access logs (1 MiB) exceed')),
    );
  await until(warnings, 'the warning');
  expect(readdirSync(folder).filter((name) => name.endsWith('.gz'))).toEqual(
    expect.arrayContaining(rolled),
  );
  await stack.stop();
});
