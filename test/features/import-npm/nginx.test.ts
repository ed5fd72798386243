/** What becomes of the nginx text and the locations of each host of a real Nginx Proxy Manager. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf, type Wanted } from '../../../src/features/import-npm/npm/nginx/body.ts';
import { DIRECTIVES } from '../../../src/features/import-npm/npm/nginx/settings.ts';
import { readNpm } from '../../../src/features/import-npm/npm/read.ts';
import type { AnyHost } from '../../../src/features/import-npm/npm/rows.ts';

const GOLDEN = join(import.meta.dir, '../../golden/npm');
const FILE = join(GOLDEN, 'bodies.txt');

const { proxies, redirections, dead } = readNpm(readFileSync(join(GOLDEN, 'database.sqlite')));

function restOf(host: AnyHost): Wanted['rest'] {
  if (host.kind === 'dead') return { lines: ['respond 404'] };
  if (host.kind === 'redirection')
    return { lines: [`redir https://${host.target}{uri} ${host.code}`] };
  const { scheme, host: name, port } = host.to;
  return { upstream: `${scheme === 'https' ? 'https://' : ''}${name}:${port}` };
}

function told(host: AnyHost): string {
  const { lines, clients, remarks, unsayable } = bodyOf({
    rest: restOf(host),
    locations: host.kind === 'proxy' ? host.locations : [],
    advanced: host.advanced,
    stripsAuthorization: false,
    hasAccessList: host.kind === 'proxy' && host.accessListId > 0,
  });
  return [
    `== ${host.kind} ${host.id}`,
    ...lines,
    ...clients.map(({ directive, address }) => `-- ${directive} ${address}`),
    ...remarks.map(({ level, text }) => `-- ${level}: ${text}`),
    ...unsayable.map((reason) => `-- off: ${reason}`),
  ].join('\n');
}

test('each host says what nginx did, or why it cannot', () => {
  const hosts: readonly AnyHost[] = [...proxies, ...redirections, ...dead];
  const given = hosts.filter(
    (host) => host.advanced !== '' || (host.kind === 'proxy' && host.locations.length > 0),
  );
  const text = `${given.map(told).join('\n\n')}\n`;
  expect(text).toBe(readFileSync(FILE, 'utf8'));
});

const plain = (rest: Wanted['rest'], more: Partial<Wanted> = {}) =>
  bodyOf({
    rest,
    locations: [],
    advanced: '',
    stripsAuthorization: false,
    hasAccessList: false,
    ...more,
  });

test('docs/moving.md has each directive that is translated, and no other', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../docs/moving.md')).text();
  const [section = ''] = page.split('\n## nginx text\n')[1]?.split('\n## ') ?? [];
  const named = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
  expect(named.sort()).toEqual([...DIRECTIVES.keys()]);
});

test('a host without any is plain', () => {
  expect(plain({ upstream: 'nas.lan:80' })).toEqual({
    lines: ['reverse_proxy {upstream}'],
    clients: [],
    remarks: [],
    unsayable: [],
  });
  expect(plain({ upstream: 'https://nas.lan:80' }).lines).toEqual([
    'reverse_proxy {upstream} {',
    '\theader_up Host {http.request.hostport}',
    '\ttransport http {',
    '\t\ttls_insecure_skip_verify',
    '\t}',
    '}',
  ]);
  expect(plain({ lines: ['respond 404'] }).lines).toEqual(['respond 404']);
});

test('a password of an access list reaches no service', () => {
  const { lines } = plain(
    { upstream: 'nas.lan:80' },
    { stripsAuthorization: true, advanced: 'location /a { proxy_pass http://10.0.0.6:80; }' },
  );
  expect(lines.filter((line) => line.includes('header_up -Authorization'))).toHaveLength(2);
});
