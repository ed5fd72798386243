/** Devices with certificates of two authorities, and sites that ask for them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contextOf, guardOf } from '../../../../src/hub/caddyfile/context.ts';
import type { Values } from '../../../../src/hub/recipes/recipe.ts';
import { versionOf } from '../../../harness/caddys.ts';
import { guardedSites } from '../../../harness/guarded.ts';
import { temporaryFolder } from '../../../harness/stack.ts';

/** What `run` returns if the command fails. */
const FAILED = 'no connection';
const version = versionOf('caddy');

export function createDevices() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);

  /** @returns what a command prints; `no connection` if it fails */
  async function run(command: string[], input = ''): Promise<string> {
    const child = Bun.spawn(command, {
      cwd: folder,
      stdin: new Blob([input]),
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const text = await child.stdout.text();
    return (await child.exited) === 0 ? text : FAILED;
  }

  /** The commands of the documentation, with other names for the files. */
  function documented(authority: string, device: string): string {
    const page = new URL('../../../../docs/phone-certificate.md', import.meta.url);
    const [, script = ''] =
      /```sh\n(openssl req -x509[^`]*)```/.exec(readFileSync(page, 'utf8')) ?? [];
    return script.replaceAll('authority.', `${authority}.`).replaceAll('phone.', `${device}.`);
  }

  return {
    folder,
    at,
    pem: (name: string) => readFileSync(at(`${name}.pem`), 'utf8'),
    run,
    /** A site with a policy, which says `BODY` and who is signed in. */
    siteOf(port: number, host: string, recipe: string, values: Values): string {
      const date = new Date();
      const times = { createdAt: date, updatedAt: date };
      const kept = { everywhere: false, source: null, applied: null };
      const policy = { id: 1, name: 'sign-in', recipe, values, ...kept, ...times };
      const config = `tls ${at('site.pem')} ${at('site.key')}\nrespond "BODY {http.request.header.Remote-User}"`;
      const site = { domain: `https://${host}:${port}`, config };
      return guardedSites('', [site], [guardOf(policy, contextOf('', version))], version);
    },
    /**
     * Makes the authorities `home` and `other` with a device each, `mine` and `theirs`; a device that signed for itself,
     * `self`, one that is too old, `late`, and the certificate of the sites.
     */
    async make(): Promise<void> {
      const CA = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2';
      const scripts = [
        documented('home', 'mine'),
        documented('other', 'theirs'),
        `${CA} -keyout self.key -out self.pem -subj '/CN=My phone'`,
        `${CA} -keyout site.key -out site.pem -subj /CN=site -addext 'subjectAltName=DNS:*.test'`,
        'openssl x509 -req -in mine.csr -CA home.pem -CAkey home.key -CAcreateserial -days -1 -out late.pem',
        'cp mine.key late.key',
      ];
      for (const script of scripts) {
        if ((await run(['sh', '-ec', script])) === FAILED) throw new Error(script);
      }
    },
  };
}
