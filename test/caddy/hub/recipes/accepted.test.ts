/** Every recipe is valid for Caddy, with its example and with every field. */
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastErrorOf } from '../../../../agent/caddy/words.ts';
import { RECIPES } from '../../../../src/hub/recipes/registry.ts';
import { folderForFile } from '../../../harness/for-file.ts';
import { FULL } from '../../../hub/recipes/full-values.ts';
import { behind, caddyfileOf, textOf } from '../../../hub/recipes/sites-caddy.ts';

const folder = folderForFile();

function validate(body: string): string {
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, caddyfileOf(80, { 'a.test': body }));
  const { stderr, exitCode } = Bun.spawnSync(
    ['caddy', 'validate', '--config', file, '--adapter', 'caddyfile'],
    { env: { PATH: process.env.PATH ?? '', HOME: folder } },
  );
  return exitCode === 0 ? '' : lastErrorOf(stderr.toString());
}

test('what is wrong is found', () => {
  expect(validate('respond')).not.toBe('');
  expect(validate('respnd a')).not.toBe('');
});

test('every field is tried', () => {
  for (const { id, fields } of RECIPES) {
    expect([id, ...Object.keys(fields.properties)].toSorted()).toEqual(
      [id, ...Object.keys(FULL[id] ?? {})].toSorted(),
    );
  }
});

describe.each(RECIPES)('$id', ({ id, kind, example }) => {
  test.each([
    ['its example', example],
    ['every field', FULL[id] ?? {}],
  ])('with %s', (_, values) => {
    const body =
      kind === 'policy'
        ? behind([[id, values]])
        : textOf(id, values).join('\n').replaceAll('{upstream}', 'a:1');
    expect(validate(body)).toBe('');
  });
});
