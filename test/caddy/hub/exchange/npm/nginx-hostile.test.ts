// proof: nginx
/** Whatever nginx text says, the body made of it is one that Caddy takes, and stays inside its site. */
import { expect, test } from 'bun:test';
import { type Body, bodyOf } from '../../../../../src/features/import-npm/npm/nginx/body.ts';
import { checkConfig } from '../../../../../src/shared/caddyfile/check.ts';
import { randomWanted } from '../../../../features/import-npm/nginx-texts.ts';
import { startAdaptCaddy } from '../../../../harness/adapt-caddy.ts';
import { forFile } from '../../../../harness/for-file.ts';
import { some } from '../../../../harness/full.ts';
import { seededRandom } from '../../../../harness/random.ts';
import { limit } from '../../../../harness/speed.ts';
import { serveCaddyfile } from '../../../../hub/recipes/sites-caddy.ts';

const COUNT = some(1_000, 60_000, 'NGINX_TEXTS');

const caddy = await forFile(startAdaptCaddy({ HOME: 'LEAKED', SECRET: 'LEAKED', X: 'LEAKED' }));
const random = seededRandom(Number(process.env.SEED ?? 31));
const WANTED = Array.from({ length: COUNT }, () => randomWanted(random));
const textOf = ({ lines }: Body): string =>
  lines.join('\n').replaceAll('{upstream}', '10.0.0.5:8080');

test(
  'each is one site, with its address, whose text stays in it in every Caddy',
  async () => {
    let said = 0;
    for (const wanted of WANTED) {
      const body = bodyOf(wanted);
      const lines = body.lines.join('\n');
      const shown = JSON.stringify({ wanted, lines });
      if (body.unsayable.length === 0) said++;
      for (const dialect of [{}, { heredocs: true, importBlocks: true }]) {
        expect([checkConfig(lines, 'body', dialect), shown]).toEqual([null, shown]);
      }
      const adapted = await caddy.adapt(
        `http://site.test {\n${textOf(body)}\n}\n\nhttp://next.test {\n\trespond NEXT\n}\n`,
      );
      if (!adapted.ok) throw new Error(`${adapted.error}\n${shown}\n${lines}`);
      const servers = Object.values(adapted.json.apps?.http?.servers ?? {});
      const hosts = servers.flatMap(({ routes = [] }) =>
        routes.map(({ match }) => JSON.stringify(match)),
      );
      expect([hosts.sort(), shown]).toEqual([
        ['[{"host":["next.test"]}]', '[{"host":["site.test"]}]'],
        shown,
      ]);
      expect([adapted.text.includes('LEAKED'), shown]).toEqual([false, shown]);
      expect(adapted.text).not.toMatch(/(?<!\\)\{env\./);
    }
    expect(said).toBeGreaterThan(COUNT / 20);
  },
  limit(600_000),
);

test(
  'Caddy serves them: no regular expression, network or upstream is refused',
  async () => {
    const sites = WANTED.slice(0, 2_000).map(
      (wanted, at) => `http://s${at}.test:PORT {\n${textOf(bodyOf(wanted))}\n}`,
    );
    const served = await serveCaddyfile(
      (port) => `{\n\tadmin off\n}\n${sites.join('\n').replaceAll(':PORT', `:${port}`)}`,
    );
    await served.stop();
  },
  limit(120_000),
);
