// proof: docs
/** The files of docs/bans.md, as they stand there: what fail2ban finds in real logs, bans and unbans. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { caddyIs } from '../../harness/caddys.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { startHubAlone } from '../../harness/hub-alone.ts';
import { type OwnNetwork, startOwnNetwork } from '../../harness/own-network.ts';
import { type Owner, startOwner } from '../../harness/owner.ts';
import { filesOf } from '../../harness/page.ts';
import { limit } from '../../harness/speed.ts';
import { ask, until } from '../../harness/stack.ts';

const hasFail2ban = Bun.which('fail2ban-regex') !== null;
const probe = await startOwnNetwork();
await probe?.stop();
const canBan = hasFail2ban && Bun.which('nft') !== null && probe !== null;
const files = await filesOf('docs/bans.md');
const ACCESS = '/etc/fail2ban/filter.d/signalbox-access.conf';
const SIGN_IN = '/etc/fail2ban/filter.d/signalbox.conf';
const JAIL = '/etc/fail2ban/jail.d/signalbox.conf';

const folder = folderForFile();
const at = (name: string) => join(folder, name);

/** @returns the addresses that a filter finds in a log, one for each line that matches */
function foundBy(filter: string, log: string): string[] {
  const file = at(basename(filter));
  writeFileSync(file, files.get(filter) ?? '');
  const { exitCode, stdout, stderr } = Bun.spawnSync(['fail2ban-regex', '-o', 'ip', log, file]);
  expect([exitCode, stderr.toString()]).toEqual([0, '']);
  return stdout.toString().split('\n').filter(Boolean);
}

describe.skipIf(!hasFail2ban)('fail2ban-regex', () => {
  let owner: Owner;
  beforeAll(async () => {
    owner = await startOwner();
  });
  afterAll(() => owner.stack.stop());

  test('finds each refused request in the access log, with the address of its visitor, and no other line', async () => {
    const { stack, call, create } = owner;
    const outer = '127.0.0.200/32';
    const [is27, config] = [caddyIs('>=2.7'), (await call('GET', '/preamble')).body.config];
    if (is27) {
      const servers = `\n\tservers {\n\t\ttrusted_proxies static ${outer}\n\t}\n}`;
      const changed = config.replace(/\n\}/, servers);
      expect((await call('PUT', '/preamble', { config: changed })).status).toBe(200);
    }
    await create('app', 'respond /no 404\nrespond /in 401\nrespond /out 403\nrespond ok');
    const visit = (from: string, path: string, ...more: string[]) => {
      const url = `http://app.example:${stack.httpPort}${path}`;
      const to = `app.example:${stack.httpPort}:127.0.0.1:${stack.httpPort}`;
      const command = ['curl', '-s', '-g', '--interface', from, '--connect-to', to, url, ...more];
      expect(Bun.spawnSync(command).exitCode).toBe(0);
    };
    const sly = '","status":404,"resp_headers":{"x":"';
    visit('127.0.0.5', '/no');
    visit('127.0.0.6', '/in', '-u', `${sly}:x`);
    visit('127.0.0.7', '/out', '-H', 'X-Forwarded-For: 198.51.100.1');
    // Nobody is banned for what is in a request.
    visit('127.0.0.8', `/?${encodeURI(sly)}`, '-u', `${sly}:x`, '-H', `User-Agent: ${sly}`);
    visit('127.0.0.8', '/', '-H', `Status: 404`, '-H', `Client_ip: 203.0.113.1`);
    visit('127.0.0.200', '/no', '-H', 'X-Forwarded-For: 2001:db8::7');
    const count = () => readFileSync(stack.accessLog, 'utf8').split('handled request').length - 1;
    await until(() => count() === 6, 'the entries');
    const last = is27 ? '2001:db8::7' : '127.0.0.200';
    expect(foundBy(ACCESS, stack.accessLog)).toEqual(['127.0.0.5', '127.0.0.6', '127.0.0.7', last]);
  });

  test('finds each failed sign-in, and nothing that somebody put into the account', async () => {
    const hub = await startHubAlone({ TRUST_PROXY: 'true' });
    try {
      const post = (path: string, json: object, ip: string) =>
        ask(`${hub.hub}/auth/${path}/email`, { json, headers: { 'X-Forwarded-For': ip } });
      const signIn = (email: string, password: string, ip: string) =>
        post('sign-in', { email, password }, ip);
      const setupCode = readFileSync(join(hub.dataDir, 'setup-code'), 'utf8').trim();
      const ada = { email: 'ada@example.org', password: 'a long passphrase' };
      await post('sign-up', { name: 'Ada', ...ada, setupCode }, '203.0.113.10');
      expect((await signIn(ada.email, ada.password, '203.0.113.10')).status).toBe(200);
      await signIn(ada.email, 'not the passphrase', '203.0.113.9');
      await signIn('ip=198.51.100.1@example.org', 'wrong', '2001:db8::9');
      writeFileSync(at('signalbox.log'), `${hub.lines.join('\n')}\n`);
    } finally {
      await hub.stop();
    }
    expect(foundBy(SIGN_IN, at('signalbox.log'))).toEqual(['203.0.113.9', '2001:db8::9']);
  });
});

describe.skipIf(!canBan)('fail2ban', () => {
  let network: OwnNetwork;
  const inBackground = (command: string, name: string) =>
    network.run(`${command} > ${at(`${name}.log`)} 2>&1 & echo $! > ${at(`${name}.pid`)}`);
  beforeAll(async () => {
    network = (await startOwnNetwork()) as OwnNetwork;
    await network.run('for last in 1 9 10; do ip addr add 203.0.113.$last dev lo; done');
  });
  afterAll(async () => {
    await network.run(`kill $(cat ${at('caddy.pid')} ${at('fail2ban.pid')})`);
    await network.stop();
  });

  test('bans who asks for what is not there, and lets them in again; nobody else', async () => {
    const log = at('access.log');
    writeFileSync(
      at('Caddyfile'),
      `{\n\tadmin off\n}\nhttp:// {\n\tlog {\n\t\toutput file ${log}\n\t}\n\trespond / ok\n\trespond 404\n}\n`,
    );
    await inBackground(
      `HOME=${folder} caddy run --config ${at('Caddyfile')} --adapter caddyfile`,
      'caddy',
    );
    const visit = (last: number, path = '') =>
      network.run(
        `curl -s -m ${limit(1_000) / 1_000} -o /dev/null --interface 203.0.113.${last} 'http://203.0.113.1/${path}' && echo in || echo out`,
      );
    await until(async () => (await visit(10)) === 'in\n', 'Caddy');

    cpSync('/etc/fail2ban', at('fail2ban'), { recursive: true });
    rmSync(at('fail2ban/jail.d'), { recursive: true });
    for (const [path, text] of files) {
      if (!path.startsWith('/etc/fail2ban/')) continue;
      await Bun.write(path.replace('/etc/fail2ban', at('fail2ban')), text);
    }
    writeFileSync(at('fail2ban/fail2ban.local'), '[Definition]\ndbfile = None\n');
    // All addresses are this machine's here.
    const local = `[DEFAULT]\nignoreself = false\n[signalbox-access]\nlogpath = ${log}\n`;
    writeFileSync(at('fail2ban/jail.local'), local);
    const options = `-c ${at('fail2ban')} -s ${at('socket')}`;
    const dump = await network.run(`fail2ban-client ${options} -d`);
    for (const jail of ["'signalbox-access', 'auto'", "'signalbox', 'systemd'"]) {
      expect(dump).toContain(`['add', ${jail}]`);
    }
    // Here is no journal.
    writeFileSync(at('fail2ban/jail.local'), `${local}[signalbox]\nenabled = false\n`);
    const also = `-p ${at('server.pid')} --logtarget ${at('fail2ban.txt')}`;
    await inBackground(`fail2ban-server -f ${options} ${also} start`, 'fail2ban');
    const client = (words: string) => network.run(`fail2ban-client ${options} ${words}`);
    await until(
      async () => (await client('status signalbox-access').catch(() => '')) !== '',
      'fail2ban',
    );

    await visit(9, 'no[1-40]');
    await until(async () => (await visit(9)) === 'out\n', 'a ban');
    expect(await visit(10)).toBe('in\n');
    expect(await network.run('nft list ruleset')).toContain('203.0.113.9');
    await client('set signalbox-access unbanip 203.0.113.9');
    expect(await visit(9)).toBe('in\n');
  });
});

test('CrowdSec reads the same log', () => {
  const acquisition = Bun.YAML.parse(files.get('/etc/crowdsec/acquis.d/signalbox.yaml') ?? '');
  const log = /^logpath = (.*)$/m.exec(files.get(JAIL) ?? '')?.[1];
  expect(acquisition).toEqual({ filenames: [log], labels: { type: 'caddy' } });
});
