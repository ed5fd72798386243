/** Which sites use which modules: by what a real Caddy makes of them, as if stock modules were plugins. */
import { expect, test } from 'bun:test';
import { renderSet } from '../../../src/hub/model/applied.ts';
import { modulesUsed } from '../../../src/hub/model/modules-used.ts';
import { EMPTY_SET, type Vhost } from '../../../src/hub/model/vhost.ts';
import { storedVhost } from '../../harness/vhost.ts';

const vhost = (id: number, domain: string, config: string): Vhost =>
  storedVhost({ id, domain, config });
const SET = {
  ...EMPTY_SET,
  preamble:
    '{\n\tlog {\n\t\tformat json\n\t}\n\tservers {\n\t\tlistener_wrappers {\n\t\t\ttls\n\t\t}\n\t}\n}',
  vhosts: [
    vhost(1, 'b.example', 'templates\nrespond hello'),
    vhost(2, 'a.example', 'handle /x {\n\ttemplates\n}\nencode gzip'),
    vhost(3, 'http://:8080', 'encode gzip\nrespond templates'),
    vhost(4, 'c.example', 'tls internal\nrespond "file_server"'),
  ],
};

async function used(...modules: string[]) {
  const input = renderSet(SET, '2.6.2').text;
  const adapting = Bun.spawn(
    ['caddy', 'adapt', '--adapter', 'caddyfile', '--config', '/dev/stdin'],
    {
      stdin: new Blob([input]),
      stderr: 'ignore' as const,
    },
  );
  return modulesUsed(modules, await new Response(adapting.stdout).json(), SET);
}

test('names the sites of each module, and not those that only mention it', async () => {
  expect(await used('http.handlers.templates', 'http.handlers.file_server')).toEqual([
    { module: 'http.handlers.templates', sites: ['a.example', 'b.example'], elsewhere: false },
  ]);
  expect(await used('http.encoders.gzip', 'tls.issuance.internal')).toContainEqual({
    module: 'http.encoders.gzip',
    sites: ['a.example', 'http://:8080'],
    elsewhere: false,
  });
  expect(await used('tls.issuance.internal')).toEqual([
    { module: 'tls.issuance.internal', sites: ['c.example'], elsewhere: false },
  ]);
});

test('says what only the preamble uses', async () => {
  expect(await used('caddy.logging.encoders.json')).toEqual([
    { module: 'caddy.logging.encoders.json', sites: [], elsewhere: true },
  ]);
});
