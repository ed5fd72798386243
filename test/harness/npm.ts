/**
 * What a real Nginx Proxy Manager left, moved to loopback: its database, and nginx with the files that it
 * wrote. A machine of its network gets an address of 127.0.0.0/8, so that both nginx and Caddy see who asks.
 */
import { Database } from 'bun:sqlite';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { sendRaw } from './raw.ts';
import { freePort, temporaryFolder, until } from './stack.ts';

const KEPT = join(import.meta.dir, '../golden/npm');
export const NGINX = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });

/** Whether this machine has nginx, and addresses enough on loopback for a network. */
export const HAS_NGINX = NGINX !== null && process.platform === 'linux';
if (!HAS_NGINX) console.log('Without nginx, nothing is compared with Nginx Proxy Manager.');

/** A container may have none. */
export const HAS_IPV6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

const ADDRESSES: readonly (readonly [RegExp, string])[] = [
  // Where it leads without a port is not for everybody to listen.
  [/\b10\.0\.0\.5\/app\b/g, '10.0.0.5:80/app'],
  [/\bhomeassistant\.lan\b/g, '192.168.1.10'],
  [/\bnas\.lan\b/g, '192.168.1.11'],
  [/\bnextcloud-app\b/g, '172.17.0.5'],
  [/\bjellyfin\b/g, '10.0.0.5'],
  [/\b10\.0\.0\.0\/8\b/g, '127.10.0.0/16'],
  [/\b172\.16\.0\.0\/12\b/g, '127.172.0.0/16'],
  [/(?<![\d.])10\.0\.0\./g, '127.10.0.'],
  [/(?<![\d.])172\.17\./g, '127.172.'],
  [/(?<![\d.])192\.168\./g, '127.168.'],
  [/(?<![\d.])203\.0\.113\./g, '127.203.113.'],
  [/(?<![\d.])198\.51\.100\./g, '127.198.100.'],
  [/\bfd00::5\b/g, '::1'],
];

/** From where a measured request came. */
export const SOURCES = {
  lan: '127.168.1.50',
  lan66: '127.168.1.66',
  foreign: '127.203.113.7',
  foreign2: '127.198.100.9',
} as const;

const ports = new Map<number, number>();

/** The free port that stands for a port of the network. */
export function movedPort(port: number): number {
  const free = ports.get(port) ?? freePort();
  ports.set(port, free);
  return free;
}

/** A text of Nginx Proxy Manager, with the addresses and ports of its machines on loopback. */
function moved(text: string): string {
  const named = ADDRESSES.reduce((all, [what, by]) => all.replace(what, by), text);
  return named.replace(
    /((?:\b127(?:\.\d+){3}|::1\]?|\/app):|set \$port +|"forward_port":"?)(\d+)/g,
    (_, before, port) => before + movedPort(Number(port)),
  );
}

/** What was measured of it, moved. */
export const measured = () => JSON.parse(moved(readFileSync(join(KEPT, 'measured.json'), 'utf8')));

/**
 * @param change what else is changed
 * @returns the bytes of its database, moved
 */
export function movedDatabase(change = (_: Database) => {}): Uint8Array {
  const database = Database.deserialize(readFileSync(join(KEPT, 'database.sqlite')));
  const tables = database.query("SELECT name FROM sqlite_master WHERE type = 'table'").values();
  for (const [table] of tables) {
    const rows = database.query(`SELECT rowid AS _row, * FROM "${table}"`).all();
    for (const { _row, ...row } of rows as Record<string, string | number | null>[]) {
      for (const [column, value] of Object.entries(row)) {
        const now =
          column === 'forward_port' ? movedPort(Number(value)) : moved(String(value ?? ''));
        if (value === null || now === value || now === String(value)) continue;
        database.run(`UPDATE "${table}" SET "${column}" = ? WHERE rowid = ?`, [now, _row ?? null]);
      }
    }
  }
  change(database);
  const bytes = database.serialize();
  database.close();
  return bytes;
}

export type Nginx = { http: string; https: string; stop(): Promise<void> };

/**
 * Starts nginx with the files that Nginx Proxy Manager wrote, moved, except those of streams.
 * @throws Error if it refuses them
 */
export async function startNginx(): Promise<Nginx> {
  const folder = temporaryFolder();
  const [http, https] = [freePort(), freePort()];
  for (const [from, to] of Object.entries({
    'nginx/base': 'etc/nginx',
    nginx: 'data/nginx',
    'nginx/access': 'data/access',
    custom_ssl: 'data/custom_ssl',
    letsencrypt: 'etc/letsencrypt',
  })) {
    cpSync(join(KEPT, from), join(folder, to), { recursive: true });
  }
  for (const made of ['data/logs', 'cache', 'run/nginx']) {
    mkdirSync(join(folder, made), { recursive: true });
  }

  const adapt = (text: string) =>
    moved(text)
      .replace(/^stream \{.*?^\}/ms, '')
      // Not on this machine, or not in Debian's nginx.
      .replace(/^.*(?:^user |mime\.types|http2 o|listen \[|access_log|modules\/\*).*$/gm, '')
      .replace(/listen 80\b/g, `listen 127.0.0.1:${http}`)
      .replace(/listen 443\b/g, `listen 127.0.0.1:${https}`)
      .replace(/\/var\/lib\/nginx\/|\/tmp\/nginx\//g, `${folder}/`)
      .replace(/(?<=[ "])\/(?=(?:data|run|etc\/nginx|etc\/letsencrypt)\/)/g, `${folder}/`);
  for (const file of new Bun.Glob('{data,etc}/nginx/**/*').scanSync(folder)) {
    const path = join(folder, file);
    writeFileSync(path, adapt(readFileSync(path, 'utf8')));
  }
  const config = join(folder, 'etc/nginx/nginx.conf');
  // Its workers read the folder, which is this user's.
  writeFileSync(
    config,
    `${process.getuid?.() === 0 ? 'user root;\n' : ''}${readFileSync(config, 'utf8')}`,
  );

  const run = Bun.spawn([NGINX ?? '', '-p', folder, '-c', config, '-e', 'stderr'], {
    stderr: 'pipe',
  });
  const up = () =>
    run.exitCode !== null ||
    sendRaw(`http://127.0.0.1:${http}`, 'GET / HTTP/1.0\r\n\r\n').then(({ status }) => status > 0);
  await until(up, 'nginx');
  if (run.exitCode !== null) throw new Error(await new Response(run.stderr).text());

  return {
    http: `http://127.0.0.1:${http}`,
    https: `https://127.0.0.1:${https}`,
    async stop() {
      run.kill('SIGTERM');
      await run.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
