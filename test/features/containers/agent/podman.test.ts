// proof: podman
/** What the agent knows of real containers, which Podman runs. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  type AgentContainers,
  createContainers,
} from '../../../../agent/features/containers/containers.ts';
import { PACE } from '../../../../agent/features/containers/pace.ts';
import type { Containers } from '../../../../src/features/containers/wire.ts';
import { shareOf } from '../../../../src/shared/paced.ts';
import { SHARE } from '../../../harness/pace.ts';
import { HAS_PODMAN, type RealEngine, startEngine } from '../engine.ts';

const NEVER = new AbortController().signal;

describe.skipIf(!HAS_PODMAN)('Podman', () => {
  let engine: RealEngine;
  let containers: AgentContainers;
  beforeAll(async () => {
    engine = await startEngine();
    containers = createContainers({
      settings: { engine: { unix: engine.socket }, labels: 'safe', domains: [] },
      place: () => ({ hostname: 'box', interfaces: engine.interfaces() }),
      // Only events can make it look again within a test.
      pace: { ...shareOf(SHARE, PACE), every: 3_600_000, poll: 3_600_000 },
      log: () => {},
    });
    containers.begin();
  });
  afterAll(async () => {
    containers?.close();
    await engine?.end();
  });

  /** The first list in which a container is as it is wanted; undefined: it is not in it. */
  async function known(name: string, isWanted: (found: Found | undefined) => boolean) {
    for (let after: string | undefined; ; ) {
      const said = JSON.parse(await containers.answer(after, NEVER)) as Containers;
      if (said.engine === 'down') throw new Error(said.detail ?? '');
      const found = said.containers?.find((one) => one.name === name);
      if (isWanted(found)) return found;
      after = said.tag;
    }
  }
  type Found = NonNullable<Containers['containers']>[number];
  const isRunning = (found: Found | undefined) => found?.state === 'running';

  test('lists a container with its labels, and the address of a port that answers', async () => {
    const labels = { 'signalbox.domain': 'web.example', 'signalbox.tags': 'a, b' };
    const id = await engine.up({
      name: 'web',
      labels,
      exposed: ['81/tcp'],
      ports: { '80/tcp': '18080', '82/tcp': '127.0.0.2:18082', '53/udp': '15353' },
    });
    const web = await known('web', isRunning);
    const { startedAt, ...rest } = web as Found;
    expect(rest).toEqual({
      id,
      name: 'web',
      image: 'docker.io/library/busybox:latest',
      state: 'running',
      labels,
      addresses: [expect.stringMatching(/^10\.88\.\d+\.\d+$/)],
      host: rest.addresses[0] ?? '',
      unreached: null,
      ports: [
        { port: 80, address: '127.0.0.1:18080', published: true },
        { port: 81, address: `${rest.host}:81`, published: false },
        { port: 82, address: '127.0.0.2:18082', published: true },
      ],
    });
    expect(new Date(startedAt ?? '').toISOString()).toBe(startedAt as string);
    expect(await engine.served('127.0.0.1:18080')).toBe('web');
    expect(await engine.served(`${rest.host}:80`)).toBe('web');
  });

  test('reaches one that publishes nothing by its address, and one in the host’s network', async () => {
    await engine.up({ name: 'plain', exposed: ['80/tcp'] });
    const [port] = (await known('plain', isRunning))?.ports ?? [];
    expect(await engine.served(port?.address ?? '')).toBe('plain');
    await engine.up({ name: 'on-host', network: 'host', serves: 8099 });
    const onHost = await known('on-host', isRunning);
    expect([onHost?.host, onHost?.addresses, onHost?.unreached]).toEqual(['127.0.0.1', [], null]);
    expect(await engine.served('127.0.0.1:8099')).toBe('on-host');
  });

  test('reaches one in the network of another, and none without a network', async () => {
    await engine.up({ name: 'vpn', ports: { '90/tcp': '18090' } });
    await engine.up({ name: 'beside', network: 'container:vpn', serves: 90 });
    const beside = await known('beside', isRunning);
    expect(beside?.ports.map(({ port, address }) => [port, address])).toEqual([
      [90, '127.0.0.1:18090'],
    ]);
    expect(await engine.served('127.0.0.1:18090')).toBe('beside');
    await engine.up({ name: 'alone', network: 'none', exposed: ['80/tcp'] });
    const alone = await known('alone', isRunning);
    expect(alone?.host).toBeNull();
    expect(alone?.unreached).toBe('It has no address: publish a port.');
  });

  test('says when one stops, starts again and is removed', async () => {
    await engine.up({ name: 'app', ports: { '80/tcp': '18000' } });
    const first = await known('app', isRunning);
    await engine.stop('app');
    const stopped = await known('app', (found) => found?.state === 'exited');
    expect(stopped).toMatchObject({
      startedAt: null,
      addresses: [],
      host: null,
      unreached: 'It does not run.',
      ports: [{ port: 80, address: null, published: false }],
    });
    await engine.start('app');
    const again = await known('app', isRunning);
    expect(Date.parse(again?.startedAt ?? '')).toBeGreaterThan(Date.parse(first?.startedAt ?? ''));
    expect(again?.ports).toEqual(first?.ports as Found['ports']);
    await engine.rm('app');
    expect(await known('app', (found) => found === undefined)).toBeUndefined();
  });

  test('is down once its service is gone', async () => {
    await engine.end();
    for (let after: string | undefined; ; ) {
      const said = JSON.parse(await containers.answer(after, NEVER)) as Containers;
      after = said.tag;
      if (said.engine === 'up') continue;
      expect(said.containers).toBeNull();
      break;
    }
  });
});
