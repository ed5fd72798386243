// proof: attack
/** The certificates that a hub keeps, in the file of an agent that has to do without the hub. */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../../../../src/shared/system/files.ts';
import { type Chain, makeChain, makeIssuer } from '../../../harness/certificate.ts';
import { type LoneAgent, siteOf, startLoneAgent } from '../../../harness/lone-agent.ts';
import { ask, freePort, until } from '../../../harness/stack.ts';

const NAME = 'a.lan.example.org';
const SITE = siteOf(NAME);
const OPTIONS = ['local_certs'];

let wild: Chain;
let next: Chain;
let other: Chain;
beforeAll(async () => {
  const issuer = await makeIssuer();
  const chainOf = (days: number, ...names: string[]) => makeChain({ names, days, issuer });
  [wild, next, other] = await Promise.all([
    chainOf(60, '*.lan.example.org'),
    chainOf(90, '*.lan.example.org'),
    chainOf(60, 'other.example.org'),
  ]);
});

let agent: LoneAgent;
afterEach(() => agent.stop());

const textOf = (chains: readonly Chain[], sites = SITE) => agent.text(chains, sites, OPTIONS);
/** What is in the file. */
const serialsIn = (): string[] =>
  (JSON.parse(readFileSync(agent.file, 'utf8')) as { chain: string }[]).map(
    ({ chain }) => [wild, next, other].find((one) => one.chain === chain)?.serial ?? 'unknown',
  );

/** Caddy answers a load before it has closed the listeners of what was live, and signs a certificate in its own time. */
const presentedSoon = (wanted: string) =>
  until(async () => (await agent.presented(NAME)) === wanted, `the certificate ${wanted}`);
const servedByCaddy = () => presentedSoon('Caddy');

async function publish(chains: readonly Chain[], sites = SITE): Promise<void> {
  const { status, text } = await agent.reload(textOf(chains, sites), chains);
  expect([status, text]).toEqual([200, expect.any(String)]);
}

describe('is refused, and changes nothing', () => {
  test.each<[string, () => object[] | undefined, string]>([
    ['a certificate that nobody has', () => undefined, 'lacks the certificate kept-0'],
    ['another certificate', () => [next], 'lacks the certificate kept-0'],
    ['the key of another', () => [{ chain: wild.chain, key: next.key }], 'key of the certificate'],
    ['no key', () => [{ chain: wild.chain, key: 'x' }], 'key of the certificate'],
  ])('%s', async (_, sent, message) => {
    agent = await startLoneAgent();
    await publish([other]);
    const before = [agent.readProxyfile(), readFileSync(agent.file, 'utf8')];
    const { status, body, text } = await agent.reload(
      textOf([wild]),
      sent() as Chain[] | undefined,
    );
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.message).toContain(message);
    expect(text).not.toContain('PRIVATE');
    expect([agent.readProxyfile(), readFileSync(agent.file, 'utf8')]).toEqual(before);
    // Its own authority takes a moment to sign.
    await until(async () => (await agent.presented(NAME)) === 'Caddy');
  });

  test('a chain that is none, although the text names it', async () => {
    agent = await startLoneAgent();
    const none = { ...wild, chain: 'no chain' };
    const { status, body } = await agent.reload(textOf([none]), [none]);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(existsSync(agent.file)).toBe(false);
  });

  test('what Caddy cannot load, and the certificates are those of before', async () => {
    agent = await startLoneAgent();
    await publish([wild]);
    const taken = Bun.listen({ hostname: '0.0.0.0', port: 0, socket: { data() {} } });
    const sites = `${SITE}http://b.example.org:${taken.port} {\n}\n`;
    const { body } = await agent.reload(textOf([next], sites), [next]);
    taken.stop(true);
    expect(body.code).toBe('PROXY_REJECTED');
    expect([await agent.presented(NAME), serialsIn()]).toEqual([wild.serial, [wild.serial]]);
    await agent.restart();
    expect(await agent.presented(NAME)).toBe(wild.serial);
  });

  test('a file that cannot be written', async () => {
    agent = await startLoneAgent();
    await publish([other]);
    rmSync(agent.file);
    mkdirSync(join(agent.file, 'in-the-way'), { recursive: true });
    const { status, body, text } = await agent.reload(textOf([wild]), [wild]);
    expect([status, body.code]).toEqual([507, 'STORAGE_UNAVAILABLE']);
    expect(text).not.toContain('PRIVATE');
    await servedByCaddy();
  });
});

describe('the file', () => {
  test('is readable by the agent alone, and has what the text names and no more', async () => {
    agent = await startLoneAgent();
    const { status } = await agent.reload(textOf([wild]), [other, wild, next]);
    expect(status).toBe(200);
    expect([statSync(agent.file).mode & 0o777, statSync(agent.file).uid]).toEqual([
      0o600,
      process.getuid?.() ?? -1,
    ]);
    expect(serialsIn()).toEqual([wild.serial]);
    const before = statSync(agent.file, { bigint: true });
    await publish([wild], SITE + siteOf('b.lan.example.org'));
    // Sent once, it need not be sent again.
    expect((await agent.reload(textOf([wild]))).status).toBe(200);
    const after = statSync(agent.file, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    await publish([next, other]);
    expect(serialsIn()).toEqual([next.serial, other.serial]);
    await publish([]);
    expect(existsSync(agent.file)).toBe(false);
  });

  test('is the only place with a key', async () => {
    agent = await startLoneAgent();
    await publish([next, wild]);
    await agent.reload(textOf([wild]), [{ chain: wild.chain, key: next.key }]);
    await agent.reload(`${textOf([wild])}broken {`, [wild]);
    await agent.restart();
    const answers = await Promise.all([
      ...['/proxy/status', '/proxy/certificates', '/proxy/ports', '/metrics'].map((path) =>
        agent.get(path),
      ),
      ...['/proxy/adapt', '/proxy/authorities', '/proxy/validate'].map((path) =>
        agent.get(path, { proxyfile: agent.readProxyfile() }),
      ),
      agent.get('/proxy/sites', {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const texts = [...answers.map(({ text }) => text), ...agent.lines, agent.readProxyfile()];
    const files = readdirSync(agent.folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(agent.folder, name))
      .filter(
        (path) =>
          path !== agent.file && statSync(path, { throwIfNoEntry: false })?.isFile() === true,
      );
    expect(files.filter((path) => /caddy\.log$|\.signalbox$|Caddyfile$/.test(path)).length).toBe(3);
    // A lock of Caddy's may be gone by now.
    for (const path of files) texts.push(readIfThere(path) ?? '');
    for (const { key } of [wild, next]) {
      const secret = key.split('\n')[1] ?? '';
      expect(secret.length).toBeGreaterThan(40);
      expect(texts.filter((text) => text.includes(secret.slice(8, 40)))).toEqual([]);
      expect(readFileSync(agent.file, 'utf8')).toContain(secret.slice(8, 40));
    }
  });

  test('is enough for a start without the hub', async () => {
    agent = await startLoneAgent();
    await publish([wild]);
    await agent.restart();
    expect([await agent.presented(NAME), (await agent.status()).checked]).toEqual([
      wild.serial,
      true,
    ]);
  });

  test.each<[string, (file: string) => void]>([
    ['lost', (file) => rmSync(file)],
    ['cut', (file) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 900))],
    ['empty', (file) => writeFileSync(file, '')],
    ['of another shape', (file) => writeFileSync(file, '[null, 7, {"chain": 1}]')],
    [
      'with another key',
      (file) => writeFileSync(file, JSON.stringify([{ chain: wild.chain, key: next.key }])),
    ],
    [
      'a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
  ])(
    'if it is %s, is repaired by the next publish, and the sites are served meanwhile',
    async (how, damage) => {
      agent = await startLoneAgent();
      await publish([wild]);
      await agent.restart(() => damage(agent.file));
      await servedByCaddy();
      const { checked, warnings, liveDigest, fileDigest } = await agent.status();
      expect([checked, liveDigest === fileDigest]).toEqual([false, true]);
      const [warning] = warnings.filter((one) => one.includes('kept-0'));
      expect(warning).toContain('until the hub publishes again');
      expect(warnings.some((one) => one.includes('damaged'))).toBe(how !== 'lost');
      expect(agent.lines.join()).toContain('until the hub publishes again');
      // Another start still knows.
      await agent.restart();
      expect((await agent.status()).checked).toBe(false);
      if (how === 'a folder') rmSync(agent.file, { recursive: true });

      await publish([wild]);
      await presentedSoon(wild.serial);
      expect((await agent.status()).checked).toBe(true);
      expect((await agent.status()).warnings.join()).not.toMatch(/kept-0|damaged/);
      await agent.restart();
      expect(await agent.presented(NAME)).toBe(wild.serial);
    },
  );

  test('if it is lost while Caddy serves, is asked for', async () => {
    agent = await startLoneAgent();
    await publish([wild]);
    rmSync(agent.file);
    expect([(await agent.status()).checked, await agent.presented(NAME)]).toEqual([
      false,
      wild.serial,
    ]);
    await publish([wild]);
    expect([(await agent.status()).checked, serialsIn()]).toEqual([true, [wild.serial]]);
  });

  test('if nobody has it any more, another text is refused only as long as Caddy has it', async () => {
    agent = await startLoneAgent();
    await publish([wild]);
    rmSync(agent.file);
    const more = textOf([wild], `${SITE}${siteOf('b.example.org')}`);
    expect((await agent.reload(more)).status).toBe(400);
    expect(await agent.presented(NAME)).toBe(wild.serial);
    await agent.restart();
    expect((await agent.reload(textOf([wild, next]))).status).toBe(400);
    expect((await agent.reload(more)).status).toBe(200);
    const { checked, warnings } = await agent.status();
    expect([checked, warnings.join()]).toEqual([false, expect.stringContaining('kept-0')]);
    await publish([wild]);
    await presentedSoon(wild.serial);
    expect(serialsIn()).toEqual([wild.serial]);
  });
});

test('a closed port, and logs that are opened again, leave the certificates as they are', async () => {
  agent = await startLoneAgent();
  const port = freePort();
  const sites = `${SITE}http://b.example.org:${port} {\n}\n`;
  await publish([wild], sites);
  const taken: { stop(now: boolean): void }[] = [];
  await agent.restart(() => {
    taken.push(Bun.listen({ hostname: '0.0.0.0', port, socket: { data() {} } }));
  });
  expect((await agent.status()).closed?.length).toBe(1);
  expect(await agent.presented(NAME)).toBe(wild.serial);
  taken[0]?.stop(true);
  await until(async () => (await agent.status()).closed === undefined, 'the port');
  expect(await agent.presented(NAME)).toBe(wild.serial);
  // Caddy opens its logs again, as somebody moved one away.
  const log = agent.env.ACCESS_LOG;
  rmSync(log, { force: true });
  await until(async () => {
    await ask(`http://127.0.0.1:${agent.httpPort}/`).catch(() => null);
    return existsSync(log);
  }, 'the log');
  expect(await agent.presented(NAME)).toBe(wild.serial);
});

describe('no config reaches the file', () => {
  test.each<[string, (file: string) => string]>([
    ['root', (file) => `root * ${file}\n\tfile_server`],
    ['tls', (file) => `tls ${file} ${file}`],
    ['placeholder', (file) => `respond "{file.${file}}"`],
    ['import', (file) => `header {\n\t\timport ${file}\n\t}`],
    ['import with a pattern', (file) => `header {\n\t\timport ${file.slice(0, -3)}*\n\t}`],
    ['import while it is written', (file) => `header {\n\t\timport ${file}.part\n\t}`],
  ])('by %s', async (_, config) => {
    agent = await startLoneAgent((beside) => ({ IMPORT_DIRS: beside }));
    await publish([wild]);
    writeFileSync(`${agent.file}.part`, readFileSync(agent.file), { mode: 0o600 });
    const sites = siteOf('b.lan.example.org', config(agent.file));
    const { status, body, text } = await agent.reload(textOf([wild], sites), [wild]);
    expect([status, body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(text).not.toContain('PRIVATE');
  });
});

/** What an agent that was killed leaves, after each of its steps, and what the next one makes of it. */
describe('after a kill', () => {
  type State = { text: Chain; file: Chain[]; part?: true };
  test.each<[string, () => State]>([
    ['before the file', () => ({ text: wild, file: [wild], part: true })],
    ['before the Caddyfile', () => ({ text: wild, file: [wild, next] })],
    ['after the Caddyfile', () => ({ text: next, file: [wild, next] })],
    ['after all', () => ({ text: next, file: [next], part: true })],
  ])('%s, the certificates of the text on disk are served', async (_, state) => {
    agent = await startLoneAgent();
    // So that it counts as written by the agent, both have to have been live.
    await publish([next]);
    await publish([wild]);
    const { text, file, part } = state();
    await agent.restart(() => {
      writeFileSync(agent.proxyfile, textOf([text]));
      const entries = file.map(({ chain, key }) => ({ chain, key }));
      writeFileSync(agent.file, JSON.stringify(entries), { mode: 0o600 });
      if (part) writeFileSync(`${agent.file}.part`, '[{"chain": "-----BEG', { mode: 0o600 });
    });
    expect([await agent.presented(NAME), serialsIn()]).toEqual([text.serial, [text.serial]]);
    await publish([next]);
    await presentedSoon(next.serial);
    expect(serialsIn()).toEqual([next.serial]);
    expect(existsSync(`${agent.file}.part`)).toBe(false);
  });
});
