import { expect, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dnsProviders, modulesOf } from '../../../../../agent/caddy/process/program.ts';
import { folderForFile } from '../../../../harness/for-file.ts';

const folder = folderForFile();

const env = { PATH: process.env.PATH ?? '' };

test('a program that is missing, and a standard Caddy, have no DNS provider', async () => {
  expect(await dnsProviders({ bin: join(folder, 'none'), prefix: [], env })).toEqual([]);
  expect(await dnsProviders({ bin: 'caddy', prefix: [], env: { ...env, HOME: folder } })).toEqual(
    [],
  );
});

test('the modules are those that it lists, without its totals', async () => {
  expect(await modulesOf({ bin: join(folder, 'none'), prefix: [], env })).toBeNull();
  const modules = await modulesOf({ bin: 'caddy', prefix: [], env: { ...env, HOME: folder } });
  expect(modules).toContain('http.handlers.static_response');
  expect(modules?.filter((name) => !/^[a-z]\w*(?:\.\w+)*$/.test(name))).toEqual([]);
});

test('the DNS providers are those among the modules', async () => {
  // A stand-in: no Caddy with such modules can be had without a network.
  const bin = join(folder, 'caddy');
  const modules = ['dns.providers.route53', 'dns.providers.cloudflare', 'tls.issuance.acme', '  1'];
  writeFileSync(bin, `#!/bin/sh\n[ "$1" = list-modules ] && printf '%s\\n' ${modules.join(' ')}\n`);
  chmodSync(bin, 0o755);
  expect(await dnsProviders({ bin, prefix: [], env })).toEqual(['cloudflare', 'route53']);
});
