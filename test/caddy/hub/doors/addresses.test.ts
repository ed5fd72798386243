/** What is open goes by the visitor's address: with proxies before Caddy, and after a site was closed. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { caddyIs } from '../../../harness/caddys.ts';
import { forFile } from '../../../harness/for-file.ts';
import { QUICK } from '../../../harness/pace.ts';
import { limit } from '../../../harness/speed.ts';
import { until } from '../../../harness/stack.ts';
import { knowsAddresses, startHouse } from './house.ts';

setDefaultTimeout(limit(60_000));

const own = { ...QUICK.hub.own, doors: { look: 100, tick: 100 } };
const house = await forFile(startHouse({ ...QUICK, hub: { ...QUICK.hub, own } }));
const HOP = '203.0.113.50';
const HOME = '10.0.0.9';
const FRIEND = '198.51.100.5';
const STRANGER = '198.51.100.66';

async function create(
  name: string,
  policies: string[] = [],
  config = 'reverse_proxy {upstream}',
): Promise<{ id: number; url: string }> {
  const url = `http://${name}.example`;
  const json = {
    domain: url,
    config,
    upstream: house.upstream,
    policies,
  };
  const { status, body, text } = await house.call('POST', '/vhosts', json);
  if (status !== 201) throw new Error(text);
  return { id: body.id, url };
}

describe.if(knowsAddresses)('where Caddy can be told addresses,', () => {
  test('an address that used a site before it was closed is named, and no stranger', async () => {
    const { id, url } = await create('photos');
    expect(await house.visit(url, '/', { as: FRIEND })).toBe('anyone');
    await house.call('POST', '/doors/close', { vhosts: [id] });
    for (const as of [STRANGER, FRIEND]) expect(await house.visit(url, '/', { as })).toBe('shut');
    const problem = await until(async () => {
      const { body } = await house.call<{ problems: { code: string; message: string }[] }>(
        'GET',
        '/status',
      );
      return body.problems.find(({ code }) => code === 'SHUT_OUT');
    }, 'the problem');
    expect(problem.message).toContain(`${FRIEND} used the site before`);
    expect(problem.message).not.toContain(STRANGER);
  });
});

describe.if(caddyIs('>=2.8.0'))('behind a proxy that Caddy trusts,', () => {
  test('a site for home stays closed to whoever claims to be there', async () => {
    const { body } = await house.call('GET', '/preamble');
    const { status } = await house.call('PUT', '/preamble', {
      config: body.config,
      trustedProxies: [HOP],
    });
    expect(status).toBe(200);
    await house.call('POST', '/policies', {
      name: 'lan',
      recipe: 'allow',
      values: { networks: ['private_ranges'] },
    });
    const { url } = await create('lan', ['lan']);
    const visit = (as: string, forwarded: string) =>
      house.visit(url, '/', { as, headers: [`X-Forwarded-For: ${forwarded}`] });
    expect(await visit(STRANGER, HOME)).toBe('shut');
    expect(await visit(STRANGER, `${HOME}, ${HOP}`)).toBe('shut');
    expect(await visit(HOP, `${HOME}, ${STRANGER}`)).toBe('shut');
    expect(await visit(HOP, HOME)).toBe('anyone');
    const said = (await house.doors()).get(url);
    expect([said?.opensTo, said?.paths]).toEqual(['networks', []]);
  });

  test('a site for home is unsure where Caddy trusts everybody', async () => {
    const { body } = await house.call('GET', '/preamble');
    const config = body.config
      .replace('trusted_proxies_strict', '')
      .replace(`static ${HOP}`, 'static 0.0.0.0/0');
    expect((await house.call('PUT', '/preamble', { config })).status).toBe(200);
    const { url } = await create(
      'share',
      ['lan'],
      'handle /share/* {\nreverse_proxy {upstream}\n}\nrespond 403',
    );
    const headers = [`X-Forwarded-For: ${HOME}`];
    expect(await house.visit(url, '/share/', { as: STRANGER, headers })).toBe('anyone');
    const said = (await house.doors()).get(url);
    expect([said?.opensTo, said?.reason]).toEqual([
      'unsure',
      expect.stringContaining('trusted_proxies'),
    ]);
  });
});
