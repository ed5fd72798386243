// proof: hub
/** The faults that people meet most, explained and repaired, and a site that works. */
import { describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { hasFeature } from '../../harness/stack.ts';
import { type Fault, forwarding, leadingTo } from './faults/fault.ts';
import { explained } from './faults/staged.ts';
import { startHouse } from './house.ts';
import { startHomeAssistant, startVite } from './services/apps.ts';
import { startSsh } from './services/banners.ts';
import { startHealthy, startHealthyTls } from './services/healthy.ts';

const FAULTS: readonly Fault[] = [
  {
    name: 'a service that speaks only HTTPS',
    cause: 'SPEAKS_TLS',
    hasOperation: true,
    stage: async ({ stops }) => ({ site: forwarding(await startHealthyTls(stops)) }),
  },
  {
    name: 'HTTPS to a service without',
    cause: 'SPEAKS_PLAIN',
    hasOperation: true,
    stage: ({ stops }) => ({ site: forwarding(`https://${startHealthy(stops, 'answers 200')}`) }),
  },
  {
    name: 'a service that speaks something else',
    cause: 'NOT_HTTP',
    names: /SSH/,
    hasOperation: false,
    stage: async ({ stops }) => ({
      site: forwarding(`127.0.0.1:${await startSsh(stops)}`),
      instead: leadingTo(stops),
    }),
  },
  {
    name: 'the name of a container',
    cause: 'UPSTREAM_NAME',
    names: /container/i,
    hasOperation: false,
    stage: ({ stops }) => ({ site: forwarding('jellyfin:8096'), instead: leadingTo(stops) }),
  },
  {
    name: 'Home Assistant that does not trust the proxy',
    cause: 'PROXY_NOT_TRUSTED',
    names: /trusted_proxies/,
    hasOperation: false,
    stage: ({ stops }) => {
      const { port, trust } = startHomeAssistant(stops);
      return { site: forwarding(`127.0.0.1:${port}`), mend: trust };
    },
  },
  {
    name: 'Vite that blocks the host',
    cause: 'HOST_REFUSED',
    names: /allowedHosts/,
    hasOperation: true,
    stage: ({ stops }) => ({ site: forwarding(`127.0.0.1:${startVite(stops).port}`) }),
  },
];

describe.skipIf(!hasFeature('explain'))('an explanation', async () => {
  const house = await forFile(startHouse());

  for (const fault of FAULTS) {
    test(`names ${fault.name}, and how to repair it`, () => explained(house, fault));
  }

  test('of an application that asks for a password says that it works', async () => {
    const upstream = startHealthy(house.place.stops, 'asks for a password');
    const { id, warnings } = await house.add(forwarding(upstream));
    const { verdict, asked } = await house.explain({ vhost: id });
    expect([verdict, asked?.status, warnings]).toEqual(['works', 401, []]);
  });
});
