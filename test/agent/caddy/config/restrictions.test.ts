import { describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasStorage } from '../../../../agent/caddy/config/restrictions.ts';
import { fileImports, mayImport } from '../../../../src/shared/caddyfile/file-imports.ts';
import type { JsonObject } from '../../../../src/shared/json.ts';
import { folderForFile } from '../../../harness/for-file.ts';

const folder = folderForFile();

describe('a storage', () => {
  const deep = (handler: JsonObject) => ({ apps: { http: { routes: [{ handle: [handler] }] } } });

  test.each<[JsonObject, boolean]>([
    [{ storage: { module: 'file_system' } }, true],
    [deep({ issuer: { storage: { module: 'file_system' } } }), true],
    [deep({ upstreams: [{ dial: '{http.vars.backend}' }] }), false],
    [{}, false],
  ])('is found at any depth: %j', (config, found) => {
    expect(hasStorage(config)).toBe(found);
  });
});

describe('imported files', () => {
  test.each<[string, string[]]>([
    ['a.example {\n\timport /etc/x\n}', ['/etc/x']],
    ['a.example {\n\theader { import /etc/x\n\t}\n}', ['/etc/x']],
    ['import "sites/*"\n', ['sites/*']],
    ['a.example {\n\t"import" /etc/x\n}', ['/etc/x']],
    ['{$WORD:import} /etc/x', ['/etc/x']],
    ['a.example {\n\theader {\n\t\t(/etc/x) {\n\t\t}\n\t}\n\timport /etc/x\n}', ['/etc/x']],
    ['(x) {\n}\na.example {\n\timport y\n}', ['y']],
    ['a.example {\n\timport\n}', ['']],
  ])('%j', (text, targets) => {
    expect([...new Set(fileImports(text).map(({ target }) => target))]).toEqual(targets);
  });

  test('are found in the value of a variable', () => {
    const options = { environment: { WORD: 'import /etc/x' } };
    expect(fileImports('a.example {\n\t{$WORD}\n}', options)[0]?.target).toBe('/etc/x');
  });

  test.each([
    '(x) {\n\trespond 1\n}\na.example {\n\timport x\n}',
    'a.example {\n\trespond import /etc/x\n}',
    'a.example {\n\t# import /etc/x\n}',
  ])('are not found in %j', (text) => {
    expect(fileImports(text)).toEqual([]);
  });

  test('must be below an allowed folder, whatever links, dots and patterns the path has', () => {
    const dir = join(folder, 'sites');
    const outside = join(folder, 'outside');
    for (const path of [dir, join(dir, 'good'), join(dir, 'bad'), outside, `${dir}-more`]) {
      mkdirSync(path, { recursive: true });
    }
    writeFileSync(join(outside, 'key.pem'), 'secret');
    writeFileSync(join(`${dir}-more`, 'x'), 'respond 1');
    writeFileSync(join(dir, 'good/one'), 'import two');
    writeFileSync(join(dir, 'good/two'), 'respond 1');
    writeFileSync(join(dir, 'nested'), 'import ../outside/key.pem');
    writeFileSync(join(dir, 'loop'), 'import loop');
    symlinkSync(join(outside, 'key.pem'), join(dir, 'bad/link'));
    symlinkSync(outside, join(dir, 'folder'));
    const leaving = [
      '}\nhttp://evil.test {',
      'handle {',
      'respond a }',
      'header "{"',
      'handle \\{\n\\}',
    ];
    for (const [at, text] of leaving.entries()) writeFileSync(join(dir, `bad/brace-${at}`), text);
    const may = (target: string) => mayImport(target, [dir], {});
    for (const good of ['good/one', 'good/two', 'good/*', 'good/../good/t*']) {
      expect([good, may(`${dir}/${good}`)]).toEqual([good, true]);
    }
    for (const bad of [
      `${outside}/key.pem`,
      `${dir}/../outside/key.pem`,
      `${dir}/bad/link`,
      ...leaving.map((_, at) => `${dir}/bad/brace-${at}`),
      `${dir}/bad/*`,
      `${dir}/folder/key.pem`,
      `${dir}/*/key.pem`,
      `${dir}/nested`,
      `${dir}/loop`,
      `${dir}/none`,
      `${dir}-more/x`,
      `${dir}/{args.0}`,
      'good/one',
      '',
    ]) {
      expect([bad, may(bad)]).toEqual([bad, false]);
    }
    expect(mayImport(`${dir}/good/two`, [], {})).toBe(false);
  });
});
