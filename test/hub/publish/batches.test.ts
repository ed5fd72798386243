/** Changes that arrive at once, published together by a real Caddy. */
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { type Body, startOwner } from '../../harness/owner.ts';
import { type Answer, temporaryFolder } from '../../harness/stack.ts';

const folder = temporaryFolder();
const env = { PROXY_ENV_FILE: join(folder, 'proxy.env') };
writeFileSync(env.PROXY_ENV_FILE, 'TWIN=http://twin.example\n');
const owner = await forFile(startOwner(env, folder));

const create = (domain: string, config = `respond ${domain}`) =>
  owner.call('POST', '/vhosts', { domain: `http://${domain}`, config });

/** How many configurations Caddy was asked to load, by its own log. */
const loads = () =>
  readFileSync(join(owner.stack.dataDir, 'caddy/caddy.log'), 'utf8').match(/"uri":"\/load"/g)
    ?.length ?? 0;

const codes = (answers: readonly Answer<Body>[]) =>
  answers.map((answer) => answer.body.code ?? answer.status);

/** The hub lists exactly these vhosts, the proxy serves them, and both are in step; then they go. */
async function expectInStep(domains: readonly string[]): Promise<void> {
  const { body } = await owner.call<Body[]>('GET', '/vhosts');
  expect(body.map((vhost) => vhost.domain)).toEqual(
    domains.map((domain) => `http://${domain}`).toSorted(),
  );
  for (const domain of domains) {
    expect((await owner.stack.served(domain)).text).toBe(domain);
  }
  const status = await owner.call<{ inStep: boolean }>('GET', '/status');
  expect(status.body.inStep).toBe(true);
  const operations = body.map(({ id }) => ({ op: 'delete', id }));
  expect((await owner.call('POST', '/vhosts/bulk', { operations })).status).toBe(200);
}

const names = (howMany: number) => Array.from({ length: howMany }, (_, at) => `site-${at}.example`);

describe('of changes that arrive at once', () => {
  test('49 good and one bad, only the bad one is refused', async () => {
    const all = names(50);
    const before = loads();
    const answers = await Promise.all(
      all.map((domain, at) => (at === 20 ? create(domain, 'respnd x') : create(domain))),
    );
    expect(answers[20]?.body).toMatchObject({ code: 'PROXY_REJECTED', line: 1 });
    expect(codes(answers).filter((code) => code === 201).length).toBe(49);
    expect((await owner.changelog('?pageSize=60')).length).toBe(49);
    await expectInStep(all.filter((_, at) => at !== 20));
    expect(loads() - before).toBeLessThanOrEqual(8);
  });

  test('bad ones are found even if the refusal names no line', async () => {
    const all = names(8);
    const bad = [2, 6];
    const config = '@x path_regexp "("\nrespond @x x';
    const answers = await Promise.all(
      all.map((domain, at) => (bad.includes(at) ? create(domain, config) : create(domain))),
    );
    expect(codes(answers)).toEqual(all.map((_, at) => (bad.includes(at) ? 'PROXY_REJECTED' : 201)));
    await expectInStep(all.filter((_, at) => !bad.includes(at)));
  });

  test('50 good ones are all served after at most five loads', async () => {
    const all = names(50);
    const before = loads();
    const answers = await Promise.all(all.map((domain) => create(domain)));
    expect(codes(answers)).toEqual(all.map(() => 201));
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(50);
    expect(loads() - before).toBeLessThanOrEqual(5);
    await expectInStep(all);
  });

  test('ten for the same domain, one is accepted and nine conflict', async () => {
    await create('first.example');
    const answers = await Promise.all(names(10).map(() => create('same.example')));
    expect(codes(answers).toSorted()).toEqual([201, ...names(9).map(() => 'DOMAIN_TAKEN')]);
    expect(answers[0]?.status).toBe(201);
    await expectInStep(['first.example', 'same.example']);
  });

  test('two for the same domain, the second is accepted if the first is refused', async () => {
    const answers = await Promise.all([
      create('lead.example'),
      create('same.example', 'respnd x'),
      create('same.example'),
      create('same.example'),
    ]);
    expect(codes(answers)).toEqual([201, 'PROXY_REJECTED', 201, 'DOMAIN_TAKEN']);
    await expectInStep(['lead.example', 'same.example']);
  });

  test('two that are refused only together, the first is accepted', async () => {
    // To Caddy, which alone knows the variable, this is the same site.
    const domain = '{$TWIN:http://nobody.example}';
    const json = { domain, config: `${domain} {\n\trespond x\n}` };
    const answers = await Promise.all([
      create('lead.example'),
      create('one.example'),
      create('twin.example'),
      owner.call('POST', '/vhosts', json),
      create('two.example'),
    ]);
    expect(codes(answers)).toEqual([201, 201, 201, 'PROXY_REJECTED', 201]);
    await expectInStep(['lead.example', 'one.example', 'twin.example', 'two.example']);
  });

  test('those of one vhost are applied in order', async () => {
    const { body } = await create('one.example', 'respond 0');
    const path = `/vhosts/${body.id}`;
    const put = (config: string) => owner.call('PUT', path, { config });
    const answers = await Promise.all([
      put('respond 1'),
      put('respond 2'),
      put('respnd 3'),
      owner.call('PATCH', `${path}/toggle`),
      put('respond 4'),
      owner.call('PATCH', `${path}/toggle`),
    ]);
    expect(codes(answers)).toEqual([200, 200, 'PROXY_REJECTED', 200, 200, 200]);
    expect((await owner.stack.served('one.example')).text).toBe('4');
    const log = await owner.changelog();
    const diffs = log.flatMap(({ diff }) => (diff === null ? [] : [JSON.parse(diff)]));
    expect(diffs.toReversed()).toEqual([
      { old: { config: 'respond 0' }, new: { config: 'respond 1' } },
      { old: { config: 'respond 1' }, new: { config: 'respond 2' } },
      { old: { config: 'respond 2' }, new: { config: 'respond 4' } },
    ]);
    const [del, late] = await Promise.all([owner.call('DELETE', path), put('respond 5')]);
    expect([del?.status, late?.body.code]).toEqual([200, 'NOT_FOUND']);
  });
});
