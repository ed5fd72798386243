// proof: docs
/** The commands of docs/certificates.md, as they stand there, with stand-ins for certbot and acme.sh. */
import { beforeAll, expect, test } from 'bun:test';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { createOperator } from '../../harness/operator.ts';
import { MAIN } from '../../harness/program.ts';
import { ask, signUp } from '../../harness/stack.ts';

const operator = await forFile(createOperator());
const { folder } = operator;
const page = await Bun.file('docs/certificates.md').text();
/** Instead of the folders that the page names. */
const at = (name: string) => join(folder, name);
let hub: string;
let headers: Record<string, string>;

/** The blocks of commands below a heading, with the paths and the address of this test. */
const blocksUnder = (heading: string): string[] => {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) =>
    block
      .replaceAll('/var/lib/signalbox', at('data'))
      .replaceAll('/etc/signalbox-token', at('token'))
      .replaceAll('https://hub.example/api', hub),
  );
};

/** @param program what runs the commands: a shell, or a file with them */
async function run(program: string[], more: Record<string, string> = {}) {
  const child = Bun.spawn(program, {
    cwd: folder,
    env: { PATH: `${at('bin')}:${process.env.PATH}`, HOME: at('home'), ...more },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, err };
}
const shell = (commands: string | undefined, more?: Record<string, string>) =>
  run(['sh', '-euc', commands ?? ''], more);

const program = (name: string, text: string) =>
  writeFileSync(at(`bin/${name}`), text, { mode: 0o755 });

/** Writes a new pair. @returns the serial of its certificate */
async function writePair(chainFile: string, keyFile: string): Promise<string> {
  const { certificate, key } = await selfSigned(['home.example']);
  writeFileSync(at(chainFile), certificate);
  writeFileSync(at(keyFile), key);
  return new X509Certificate(certificate).serialNumber.toLowerCase();
}

const keptSerial = async () =>
  (await ask<{ serial: string }>(`${hub}/certificates/kept/home`, { headers })).body.serial;

beforeAll(async () => {
  for (const name of ['bin', 'home', 'live']) mkdirSync(at(name));
  program('signalbox', `#!/bin/sh\nexec '${process.execPath}' --no-env-file '${MAIN}' "$@"\n`);
  // It keeps the hook, and runs it as certbot does once there is a new certificate.
  program(
    'certbot',
    `#!/bin/sh
while [ $# -gt 0 ]; do [ "$1" = --deploy-hook ] && hook=$2; shift; done
RENEWED_LINEAGE='${at('live')}' RENEWED_DOMAINS=home.example sh -c "$hook"
`,
  );
  // It copies the pair to the files that were given, and runs the command.
  program(
    'acme.sh',
    `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --fullchain-file) cp '${at('live/fullchain.pem')}' "$2" ;;
    --key-file) cp '${at('live/privkey.pem')}' "$2" ;;
    --reloadcmd) eval "$2" ;;
  esac
  shift
done
`,
  );
  const { hub: address } = await operator.start();
  hub = address;
  ({ headers } = await signUp({ hub }));
});

test('a certificate is uploaded on the command line and with curl', async () => {
  const serial = await writePair('fullchain.pem', 'privkey.pem');
  const [commands, upload] = blocksUnder('Upload');
  const { code, out, err } = await shell(commands);
  expect([code, err]).toEqual([0, '']);
  const [put = '', list = '', removed] = out.split('\n');
  expect(put).toStartWith('home\t');
  expect(JSON.parse(list)).toMatchObject([{ id: 1, name: 'home' }]);
  expect(removed).toBe('{"success":true}');
  const env = { HUB: hub, AUTH: `Authorization: ${headers.Authorization}` };
  const uploaded = await shell(upload, env);
  expect(JSON.parse(uploaded.out)).toMatchObject({ name: 'home', serial });
  expect(await keptSerial()).toBe(serial);
});

test.each([['certbot'], ['acme.sh']])('the hook of %s hands over what it renewed', async (name) => {
  const serial = await writePair('live/fullchain.pem', 'live/privkey.pem');
  const block = blocksUnder('Deploy hooks').find((one) => one.startsWith(name));
  const { code, err } = await shell(block);
  expect([code, err]).toEqual([0, '']);
  expect(await keptSerial()).toBe(serial);
});

test('the hook with curl is refused with a token that only reads, and hands over with one that writes', async () => {
  const before = await keptSerial();
  const serial = await writePair('live/fullchain.pem', 'live/privkey.pem');
  const script = blocksUnder('Deploy hooks').find((one) => one.startsWith('#!'));
  program('to-signalbox', script ?? '');
  const hook = async (scope: string) => {
    const json = { name: `hook that may ${scope}`, scope };
    const made = await ask<{ token: string }>(`${hub}/tokens`, { json, headers });
    writeFileSync(at('token'), `Authorization: Bearer ${made.body.token}\n`);
    return run([at('bin/to-signalbox')], { RENEWED_LINEAGE: at('live') });
  };
  const refused = await hook('read');
  expect(refused.code).not.toBe(0);
  expect(refused.out).toContain('"FORBIDDEN"');
  expect(await keptSerial()).toBe(before);
  const done = await hook('write');
  expect([done.code, done.err]).toEqual([0, '']);
  expect(await keptSerial()).toBe(serial);
});
