// proof: caddys
/**
 * Each placeholder that Caddy documents is asked of both Caddys: what only the newer one replaces is said, and
 * nothing else.
 */
import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notReplaced } from '../../../../src/hub/caddyfile/not-replaced.ts';
import { CADDYS, versionOf } from '../../../harness/caddys.ts';
import { ask, freePort, temporaryFolder, until } from '../../../harness/stack.ts';
import { words } from '../../../harness/words.ts';

/** The names on caddyserver.com/docs/conventions#placeholders, caddyfile/concepts#placeholders and json/apps/http. */
const NAMES = [
  ...words(`
    client_ip cookie.x dir err.status_code err.message err.id err.trace file file.base file.ext
    file_match.relative header.X host hostport labels.0 method orig_method orig_uri orig_path
    orig_dir orig_file orig_query orig_?query path path.0 query query.a ?query re.x.0 remote
    remote_host remote_port resp.status_code rp.status_code scheme tls_cipher tls_version
    tls_client_fingerprint tls_client_issuer vars.x tls_client_serial tls_client_subject
    tls_client_certificate_pem uri upstream_hostport env.HOME system.arch system.hostname
    system.os system.slash system.wd time.now time.now.common_log time.now.http time.now.unix
    time.now.unix_ms time.now.year http.shutting_down http.time_until_shutdown http.vars.client_ip
    http.vars.x http.response.header.X
  `),
  ...words(`
    body body_base64 cookie.x duration duration_ms header.X host host.labels.0 hostport local
    local.host local.port method orig_method orig_uri orig_uri.path orig_uri.path.0
    orig_uri.path.dir orig_uri.path.file orig_uri.query orig_uri.prefixed_query port proto remote
    remote.host remote.host/24 remote.port scheme uri uri_escaped uri.path uri.path.0
    uri.path_escaped uri.path.dir uri.path.file uri.path.file.base uri.query uri.path.file.ext
    uri.query_escaped uri.prefixed_query uri.query.a uuid tls.cipher_suite tls.proto tls.resumed
    tls.server_name tls.version
  `).map((name) => `http.request.${name}`),
];

/** What a Caddy answers for each, as it is written in the text of an answer. */
async function answersOf(bin: string): Promise<Map<string, string>> {
  const folder = temporaryFolder();
  const port = freePort();
  const routes = NAMES.map((name, at) => `\thandle /p${at}/* {\n\t\trespond \`{${name}}\`\n\t}\n`);
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {\n${routes.join('')}}\n`);
  const child = Bun.spawn([bin, 'run', '--config', file, '--adapter', 'caddyfile'], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  try {
    const base = `http://127.0.0.1:${port}`;
    await until(() => ask(base).then(Boolean, () => false));
    const answers = NAMES.map(async (name, at) => {
      const { text } = await ask(`${base}/p${at}/x.y?a=1`);
      return [name, text] as const;
    });
    return new Map(await Promise.all(answers));
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

const [older, newer] = CADDYS;

describe.skipIf(!older || !newer)('placeholders', () => {
  test('that only the newer Caddy replaces are named, and no others', async () => {
    const [bins, versions] = [[older?.bin ?? '', newer?.bin ?? ''], [] as string[]];
    const [old = new Map(), young = new Map()] = await Promise.all(bins.map(answersOf));
    for (const bin of bins) versions.push(versionOf(bin));
    const isLeft = (answers: ReadonlyMap<string, string>, name: string) =>
      answers.get(name) === `{${name}}`;
    const onlyNewer = NAMES.filter((name) => isLeft(old, name) && !isLeft(young, name));
    const said = NAMES.filter(
      (name) => notReplaced(`respond {${name}}`, versions[0] ?? '') !== null,
    );
    // A visit without a proxy in front has no variable of that name.
    expect(said.filter((name) => name !== 'http.vars.client_ip')).toEqual(
      onlyNewer.filter((name) => name !== 'http.vars.client_ip'),
    );
    expect(onlyNewer.length).toBeGreaterThan(10);
    for (const name of NAMES) {
      expect([name, notReplaced(`respond {${name}}`, versions[1] ?? '')]).toEqual([name, null]);
    }
  });
});
