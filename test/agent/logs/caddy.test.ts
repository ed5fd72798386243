import { afterAll, expect, test } from 'bun:test';
import { openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogs } from '../../../agent/logs/logs.ts';
import { allCaddys, CADDYS, versionOf } from '../../harness/caddys.ts';
import { freePort, until } from '../../harness/stack.ts';
import { keeperOf, temporaryFolders } from './temp.ts';

const newFolder = temporaryFolders();
let proxy: ReturnType<typeof Bun.spawn> | undefined;

afterAll(async () => {
  proxy?.kill();
  await proxy?.exited;
});

const NOTHING = { handler: 'static_response', status_code: 204 };

async function startCaddy(bin: string, folder: string, handle: object = NOTHING): Promise<number> {
  const port = freePort();
  const config = {
    admin: { listen: `unix/${join(folder, 'admin.sock')}`, config: { persist: false } },
    logging: {
      logs: {
        agent_access: {
          writer: {
            output: 'file',
            filename: join(folder, 'access.log'),
            roll_size_mb: 1,
            roll_keep: 50,
            roll_gzip: false,
          },
          encoder: { format: 'json' },
          include: ['http.log.access'],
        },
        default: { exclude: ['http.log.access'] },
      },
    },
    apps: {
      http: {
        servers: {
          test: {
            listen: [`127.0.0.1:${port}`],
            automatic_https: { disable: true },
            routes: [{ handle: [handle] }],
            logs: {},
          },
        },
      },
    },
  };
  const file = join(folder, 'caddy.json');
  writeFileSync(file, JSON.stringify(config));
  const output = openSync(join(folder, 'output'), 'w');
  proxy = Bun.spawn([bin, 'run', '--config', file], {
    stdin: 'ignore',
    stdout: output,
    stderr: output,
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  await until(
    () => fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined),
    `Caddy (${join(folder, 'output')})`,
  );
  return port;
}

test.skipIf(!Bun.which('caddy')).each(CADDYS)(
  'every request that Caddy logs is found once, while it writes and rolls and the agent packs, with $name',
  async ({ bin }) => {
    const folder = newFolder();
    const port = await startCaddy(bin, folder);
    const logs = createLogs({ file: join(folder, 'access.log'), timeout: 20_000 });
    const padding = 'p'.repeat(700);
    let answered = 1;
    let done = false;

    async function drive(worker: number): Promise<void> {
      for (let i = 0; i < 500; i++) {
        const url = `http://127.0.0.1:${port}/${worker}/${i}?q=1`;
        await (
          await fetch(url, { headers: { 'x-padding': padding }, keepalive: false })
        ).arrayBuffer();
        answered++;
      }
    }

    async function ask(): Promise<void> {
      for (let seen = 0; !done; ) {
        const { total } = await logs.page({ page: 1, pageSize: 10 });
        expect(total).toBeGreaterThanOrEqual(seen);
        seen = total;
      }
    }

    const drivers = Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(drive));
    const keeper = keeperOf(join(folder, 'access.log'));
    async function pack(): Promise<void> {
      while (!done) await keeper.run();
    }

    const askers = [ask(), ask(), pack()];
    await drivers.finally(() => {
      done = true;
    });
    await Promise.all(askers);

    // Caddy writes a line after it has answered.
    const count = async () => (await logs.page({ page: 1, pageSize: 1 })).total;
    await until(async () => (await count()) >= answered);
    expect(await count()).toBe(answered);
    expect(
      (await logs.page({ domain: '127.0.0.1', status: 204, page: 9, pageSize: 500 })).total,
    ).toBe(answered);
    await keeper.run();
    const rolled = readdirSync(folder).filter((name) => name.startsWith('access-'));
    expect(rolled.length).toBeGreaterThan(1);
    expect(rolled.every((name) => /\.log\.(zst|index)$/.test(name))).toBe(true);

    // Each request has its own path.
    const seen = new Set<string>();
    for (let page = 1; page <= 9; page++) {
      const { logs: entries } = await logs.page({ page, pageSize: 500 });
      for (const { path } of entries) seen.add(path);
    }
    expect(seen.size).toBe(answered);
    logs.close();
    proxy?.kill();
    await proxy?.exited;
  },
);

test.skipIf(!Bun.which('caddy')).each(allCaddys())(
  'a client that leaves counts alike, whichever status $name logs',
  async ({ bin }) => {
    let asked = 0;
    // Answers one path at once, and no other ever.
    const upstream = Bun.serve({
      port: 0,
      idleTimeout: 0,
      fetch({ url }) {
        if (new URL(url).pathname === '/ready') return new Response();
        asked++;
        return new Promise<Response>(() => {});
      },
    });
    const folder = newFolder();
    const port = await startCaddy(bin, folder, {
      handler: 'reverse_proxy',
      upstreams: [{ dial: `127.0.0.1:${upstream.port}` }],
    });
    const logs = createLogs({ file: join(folder, 'access.log') });
    const left = new AbortController();
    const answer = fetch(`http://127.0.0.1:${port}/slow`, { signal: left.signal });
    await until(() => asked === 1, 'the request');
    left.abort();
    await expect(answer).rejects.toThrow();

    const page = () => logs.page({ path: '/slow', page: 1, pageSize: 5 });
    await until(async () => (await page()).total === 1, 'the entry');
    const [entry] = (await page()).logs;
    expect(entry?.status).toBe(Bun.semver.order(versionOf(bin), '2.11.6') < 0 ? 0 : 499);
    for (const statusClass of [1, 3, 4, 5]) {
      expect((await logs.page({ statusClass, page: 1, pageSize: 5 })).total).toBe(0);
    }
    const { buckets } = await logs.stats({ buckets: 1 });
    expect(buckets[0]?.requests).toMatchObject({ '4xx': 0, '5xx': 0, other: 1 });
    const { domains } = await logs.activity({ buckets: 1 });
    expect(domains['127.0.0.1']).toMatchObject({ status4xx: [0], status5xx: [0] });
    logs.close();
    proxy?.kill();
    await proxy?.exited;
    await upstream.stop(true);
  },
);
