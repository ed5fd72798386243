// proof: nginx
/** Caddy with what is made of nginx text answers as nginx does with the text. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { bodyOf, type Wanted } from '../../../../../src/features/import-npm/npm/nginx/body.ts';
import {
  type Asked,
  ask,
  serverOf,
  startBeside,
  startEcho,
  takes,
} from '../../../../features/import-npm/nginx-beside.ts';
import { randomWanted } from '../../../../features/import-npm/nginx-texts.ts';
import { some } from '../../../../harness/full.ts';
import { HAS_NGINX } from '../../../../harness/npm.ts';
import { seededRandom } from '../../../../harness/random.ts';
import { limit } from '../../../../harness/speed.ts';
import { freePort, temporaryFolder } from '../../../../harness/stack.ts';
import { serveCaddyfile } from '../../../../hub/recipes/sites-caddy.ts';

const HOSTS = some(40, 3_000, 'NGINX_HOSTS');
const PATHS = [
  ...'/ /?x=1 /api /api?x=%20y /api/ /apix/y /Api /API/ /strip /strip?a=b /strip/'.split(' '),
  ...'/strip/a%20b/c?x /x/y /x/y/z.png /old/a /old/a%20b?x=1 /a.PNG /.well-known/x'.split(' '),
  ...'/12/3 /x.php /xab/q /ac /abcd /a%20b /nothing/here'.split(' '),
];
const SOURCES = ['127.0.0.2', '127.0.0.3'] as const;

type Host = { wanted: Wanted; body: string; server: string; isStricter: boolean };

describe.skipIf(!HAS_NGINX)('nginx and Caddy', () => {
  const folder = temporaryFolder();
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  let [own, other] = [0, 0];
  beforeAll(async () => {
    [own, other] = [await startEcho(ends), await startEcho(ends)];
  });

  /** A host whose services are on this machine. */
  function moved(wanted: Wanted): Wanted {
    const text = JSON.stringify(wanted)
      .replace(/https(?=:\/\/(?:10\.|nas|\[)|","host")/g, 'http')
      .replace(/10\.0\.0\.5:(?:8080|8443)/g, `127.0.0.1:${own}`)
      .replace(/(?<="host":")(?:10\.0\.0\.6|nas\.lan|jellyfin)/g, '127.0.0.1')
      .replace(/(?:10\.0\.0\.6|nas\.lan|\[fd00::5\])(?::8000|:80)?(?=[/;$])/g, `127.0.0.1:${other}`)
      .replaceAll('"port":8000', `"port":${other}`)
      .replaceAll('192.168.0.0/16', SOURCES[0])
      .replaceAll('10.0.0.1', SOURCES[1]);
    return { ...JSON.parse(text), stripsAuthorization: false };
  }

  /** One that can be said, and that nginx takes; null if this one is not. */
  function hostOf(wanted: Wanted, name: string, port: number): Host | null {
    const { lines, unsayable, clients, remarks } = bodyOf(wanted);
    const server = serverOf(wanted, name, port);
    if (unsayable.length > 0 || clients.length > 0) return null;
    // Which of two is believed is up to the service.
    if (/proxy_set_header Host[^{}]*proxy_set_header Host/.test(server)) return null;
    if (!takes(folder, server)) return null;
    const upstream = 'upstream' in wanted.rest ? wanted.rest.upstream : '';
    const isStricter = remarks.some(({ text }) => text.includes('come first'));
    const body = lines.join('\n').replaceAll('{upstream}', upstream);
    return { wanted, server, isStricter, body };
  }

  function isAlike(was: Asked, now: Asked, path: string, { server, isStricter }: Host): boolean {
    // nginx sends the blanks of `$1` as they are, which services refuse.
    if (was.status === 400 || (isStricter && now.status === 403)) return true;
    const isCased = /\/A(?:pi|PI)/.test(path + server);
    // Caddy's `path` ignores case, but what nginx refuses must be refused.
    if (isCased && was.status > 0 && was.status < 400) return true;
    return isCased ? now.got === null : Bun.deepEquals(was, now);
  }

  test(
    'answer alike, and Caddy refuses what nginx does',
    async () => {
      const random = seededRandom(Number(process.env.SEED ?? 5));
      const port = freePort();
      const hosts: Host[] = [];
      while (hosts.length < HOSTS) {
        const host = hostOf(moved(randomWanted(random, false)), `h${hosts.length}.test`, port);
        if (host) hosts.push(host);
      }
      await startBeside(
        folder,
        hosts.map(({ server }) => server),
        port,
        ends,
      );
      const caddy = await serveCaddyfile((free) => {
        const sites = hosts.map(({ body }, at) => `http://h${at}.test:${free} {\n${body}\n}\n`);
        return `{\n\tadmin off\n}\n${sites.join('')}`;
      });
      ends.push(() => caddy.stop());
      for (const [at, host] of hosts.entries()) {
        for (const path of PATHS) {
          for (const from of SOURCES) {
            const asked = (to: number) => ask(to, `h${at}.test`, path, from);
            const [was, now] = await Promise.all([asked(port), asked(caddy.port)]);
            if (isAlike(was, now, path, host)) continue;
            // All of it, to see why.
            const { server, body } = host;
            expect({ server, body, path, from, answer: now }).toEqual({
              server,
              body,
              path,
              from,
              answer: was,
            });
            throw new Error(`${path} of ${server} is looser: ${body}`);
          }
        }
      }
    },
    limit(600_000),
  );
});
