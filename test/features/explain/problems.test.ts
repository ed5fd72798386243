// proof: features
/** The problems of the status name the cause that an explanation found, which is made once. */
import { expect, test } from 'bun:test';
import { forFile, serverForFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { QUICK } from '../../harness/pace.ts';
import { startRefusingAcme } from '../../harness/refusing-acme.ts';
import { freePort, until } from '../../harness/stack.ts';

type Problem = {
  code: string;
  cause?: string;
  cure?: { words: string; operation: object | null };
};

const owner = await forFile(startOwner({}, undefined, QUICK));
let asked = 0;
const failing = serverForFile(() => {
  asked++;
  return new Response('no', { status: 500 });
});
const create = (name: string, upstream: string, more: object = {}) =>
  owner.call('POST', '/vhosts', {
    domain: `http://${name}.localhost`,
    config: 'reverse_proxy {upstream}',
    upstream,
    ...more,
  });
const problemOf = async (code: string) => {
  const { body } = await owner.call<{ problems: Problem[] }>('GET', '/status');
  return body.problems.find((one) => one.code === code && one.cause !== undefined);
};

test('an upstream that is down', async () => {
  await create('dead', `127.0.0.1:${freePort()}`);
  const found = await until(() => problemOf('UPSTREAM_DOWN'), 'the cause of the problem');
  expect(found.cause).toBe('UPSTREAM_REFUSED');
  expect(found.cure).toEqual({
    words: expect.stringContaining('Start the service'),
    operation: null,
  });
});

test('a certificate that the authority refuses', async () => {
  const { directory, stop } = startRefusingAcme();
  const config = `tls {\n\tissuer acme {\n\t\tdir ${directory}\n\t}\n}\nrespond up`;
  await owner.call('POST', '/vhosts', {
    domain: `refused.example:${owner.stack.httpsPort}`,
    config,
  });
  const found = await until(() => problemOf('CERTIFICATE_MISSING'), 'the cause of the problem');
  expect([found.cause, found.cure?.words]).toEqual([
    'CERTIFICATE_REFUSED',
    expect.stringContaining('Do what the authority asks for'),
  ]);
  stop();
});

test('is explained once, however often it is listed', async () => {
  await create('failing', `127.0.0.1:${failing.port}`);
  asked = 0;
  for (let count = 0; count < 5; count++) await problemOf('UPSTREAM_DOWN');
  expect(asked).toBe(0);
});
