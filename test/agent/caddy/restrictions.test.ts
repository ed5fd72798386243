import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAdminMatcher } from '../../../agent/caddy/admin-address.ts';
import { findForbidden } from '../../../agent/caddy/restrictions.ts';
import { fileImports } from '../../../src/shared/caddyfile/file-imports.ts';
import { mayImport, resolvePath } from '../../../src/shared/import-dirs.ts';
import { temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an upstream counts as the admin endpoint', () => {
  const isTcp = createAdminMatcher('localhost:2019', resolvePath);
  test.each([
    'localhost:2019',
    'LOCALHOST:2019',
    'tcp/localhost:2019',
    'tcp4/127.0.0.1:2019',
    '127.0.0.1:2019',
    '127.1:2019',
    '127.255.0.9:2019',
    '[::1]:2019',
    '[::ffff:127.0.0.1]:2019',
    '[0:0:0:0:0:0:0:1]:2019',
    '0.0.0.0:2019',
    '[::]:2019',
    '0:2019',
    ':2019',
    '2130706433:2019',
    'box.localhost:2019',
    'localhost:2000-2020',
    '{http.request.header.to}',
    '{http.request.header.to}:2019',
    'localhost:{http.request.header.port}',
    '127.0.0.1:20{http.vars.x}',
  ])('%s', (address) => {
    expect(isTcp(address)).toBe(true);
  });

  const isUnix = createAdminMatcher('unix//run/box/admin.sock', resolvePath);
  test.each([
    'unix//run/box/admin.sock',
    'unix//run/box/../box/./admin.sock',
    'unix//run//box/admin.sock',
    'unix//run/box/admin.sock|0222',
    'unix+h2c//run/box/admin.sock',
    'unix//run/box/{http.request.host}',
    '{http.vars.any}',
  ])('%s', (address) => {
    expect(isUnix(address)).toBe(true);
  });

  test('through a symbolic link', () => {
    mkdirSync(join(folder, 'real'));
    writeFileSync(join(folder, 'real/admin.sock'), '');
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const isLinked = createAdminMatcher(`unix/${folder}/real/admin.sock`, resolvePath);
    expect(isLinked(`unix/${folder}/link/admin.sock`)).toBe(true);
    expect(isLinked(`unix/${folder}/link/other.sock`)).toBe(false);
  });

  test.each([
    [isTcp, 'localhost:2020'],
    [isTcp, '10.0.0.1:2019'],
    [isTcp, 'nas.example:2019'],
    [isTcp, 'unix//run/x.sock'],
    [isTcp, '{http.request.host.labels.1}:8080'],
    [isTcp, '{env.UPSTREAM}'],
    [isUnix, 'localhost:2019'],
    [isUnix, 'unix//run/box/other.sock'],
    [isUnix, '{http.request.host.labels.1}:8080'],
  ])('but not with %p: %s', (matches, address) => {
    expect(matches(address)).toBe(false);
  });
});

test('it is found at any depth, in static and dynamic upstreams and forward proxies', () => {
  const isAdmin = createAdminMatcher('localhost:2019', resolvePath);
  const find = (handler: object) =>
    findForbidden({ apps: { http: { routes: [{ handle: [handler as never] }] } } }, isAdmin);
  expect(find({ upstreams: [{ dial: 'ok:1' }, { dial: 'localhost:2019' }] })).toContain('admin');
  expect(find({ dynamic_upstreams: { source: 'a', name: 'localhost', port: '2019' } })).toContain(
    'admin',
  );
  expect(find({ transport: { forward_proxy_url: 'http://127.0.0.1:2019/' } })).toContain('admin');
  expect(find({ issuer: { storage: { module: 'file_system' } } })).toContain('storage');
  expect(find({ upstreams: [{ dial: 'ok:1' }], dynamic_upstreams: { name: 'a', port: '1' } })).toBe(
    null,
  );
  expect(findForbidden({ storage: { module: 'x' } }, isAdmin)).toContain('storage');
  expect(findForbidden({}, isAdmin)).toBeNull();
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
    const may = (target: string) => mayImport(target, [dir], {});
    for (const good of ['good/one', 'good/two', 'good/*', 'good/../good/t*']) {
      expect([good, may(`${dir}/${good}`)]).toEqual([good, true]);
    }
    for (const bad of [
      `${outside}/key.pem`,
      `${dir}/../outside/key.pem`,
      `${dir}/bad/link`,
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
