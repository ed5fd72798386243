// proof: faults
/** Sites that only answer some networks, asked from a machine that they refuse: they work, and it is said for whom. */
import { expect, test } from 'bun:test';
import { forFile } from '../../../harness/for-file.ts';
import { startHouse } from '../house.ts';
import { httpPort } from '../services/listening.ts';
import { forwarding, type Site } from './fault.ts';

const house = await forFile(startHouse());
const { stops, policy } = house.place;
const answering = (status: number) =>
  forwarding(`127.0.0.1:${httpPort(stops, () => new Response('up', { status }))}`);
const explained = async (site: Site) => {
  const { id, domain, warnings } = await house.add(site);
  expect(await house.visit(domain)).not.toBe(200);
  return { ...(await house.explain({ vhost: id })), warnings };
};

test('a policy that lets no network in at all fails', async () => {
  const nobody = [await policy('maintenance', {})];
  const { verdict, cause } = await explained({ ...answering(200), policies: nobody });
  expect([verdict, cause]).toEqual(['fails', 'SHUT_OUT']);
});

test('what is wrong for those who get in is the cause', async () => {
  const vpn = [await policy('allow', { networks: ['10.77.0.0/16'] })];
  const { verdict, cause } = await explained({ ...answering(500), policies: vpn });
  expect([verdict, cause]).toEqual(['fails', 'UPSTREAM_ERROR']);
});

test.each<[string, string, () => Promise<Partial<Site>> | Partial<Site>]>([
  [
    'one network, by a policy',
    '10.77.0.0/16',
    async () => ({ policies: [await policy('allow', { networks: ['10.77.0.0/16'] })] }),
  ],
  [
    'one of IPv6',
    'fd77::/64',
    async () => ({ policies: [await policy('allow', { networks: ['fd77::/64'], status: 404 })] }),
  ],
  [
    'all but this machine',
    'other networks',
    async () => ({ policies: [await policy('block', { networks: ['127.0.0.0/8', '::1'] })] }),
  ],
  [
    'one network, by the config, with no answer to others',
    '10.77.1.0/24',
    () => ({ config: '@out not remote_ip 10.77.1.0/24\nabort @out\nreverse_proxy {upstream}' }),
  ],
])('%s', async (_, network, site) => {
  const { verdict, cause, cure, words, steps, asked, warnings } = await explained({
    ...answering(200),
    ...(await site()),
  });
  expect([verdict, cause, cure, asked?.status, words]).toEqual([
    'works',
    null,
    null,
    200,
    expect.stringContaining(`Visitors from ${network} get in; this machine does not.`),
  ]);
  expect(warnings).toEqual([]);
  expect(steps.map(({ ok }) => ok)).not.toContain(false);
});
