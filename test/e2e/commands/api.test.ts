// proof: program
/** `signalbox api`: any request, for scripts and people on the host, and for those with a token elsewhere. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { forFile } from '../../harness/for-file.ts';
import { createOperator, refusal } from '../../harness/operator.ts';
import { ask, signUp } from '../../harness/stack.ts';
import { runAtTerminal } from '../../harness/terminal.ts';

const operator = await forFile(createOperator());
const { hub } = await operator.start();
const api = (line: string, input?: string) =>
  operator.run(['api', ...line.split(' ')], input === undefined ? {} : { input });
const site = (name: string, config = `respond ${name}`) =>
  JSON.stringify({ domain: `http://${name}.example`, config });

describe('refuses', () => {
  test.each([
    ['GET', 'PATH is missing'],
    ['FETCH /vhosts', 'FETCH is none of GET, POST, PUT, PATCH, DELETE'],
    ['GET vhosts', 'PATH starts with a slash'],
    ['GET /vhosts?q=a', 'use --query NAME=VALUE'],
    ['GET /vhosts -q a', '--query takes NAME=VALUE, not a'],
    ['GET /vhosts -q =a', '--query takes NAME=VALUE, not =a'],
    ['GET /vhosts -f -', 'GET sends no --file'],
  ])('%s', async (line, why) => {
    const { code, out, err } = await api(line, '{}');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(why);
  });

  test.each([
    ['{"domain":', 'standard input is not JSON'],
    ['"text"', 'standard input is neither an object nor an array'],
    ['', 'standard input is not JSON'],
  ])('to send %p', async (input, why) => {
    expect(await api('POST /vhosts -f -', input)).toEqual(refusal(why));
  });

  test('a file that is not there', async () => {
    expect(await api('POST /vhosts -f nowhere.json')).toEqual(
      refusal('nowhere.json cannot be read'),
    );
  });

  test('what the hub refuses, in its words, and changes nothing', async () => {
    const { code, out, err } = await api('POST /vhosts -f -', site('bad', 'respnd secret'));
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^signalbox api: .+ \(PROXY_REJECTED\)\n/);
    expect((await api('GET /vhosts')).out).not.toContain('bad.example');
    expect(await api('GET /nowhere')).toEqual(refusal('(NOT_FOUND)'));
  });

  test('what is for people only', async () => {
    expect(await api('POST /tokens -f -', '{"name":"a","scope":"write"}')).toEqual(
      refusal('(FORBIDDEN'),
    );
  });
});

describe('sends', () => {
  test('a change, which goes live, and prints the answer', async () => {
    const { code, out, err } = await api('POST /api/vhosts -f -', site('one'));
    expect([code, err]).toEqual([0, '']);
    const { id } = JSON.parse(out) as { id: number };
    expect(out.trimEnd()).not.toContain('\n');
    expect(await operator.served('one.example')).toBe('one');

    expect((await api(`PATCH /vhosts/${id}/toggle`)).code).toBe(0);
    expect(await operator.served('one.example')).not.toBe('one');
    expect(JSON.parse((await api(`DELETE /vhosts/${id}`)).out)).toEqual({ success: true });
    expect((await api(`GET /vhosts/${id}`)).code).toBe(1);
  });

  test('each --query, with what an address would need to escape', async () => {
    await api('POST /vhosts -f -', site('query'));
    const words = ['api', 'GET', '/logs', '-q', 'pageSize=1', '--query', 'path=a&pageSize=2 =b'];
    const { out } = await operator.run(words);
    expect(JSON.parse(out)).toMatchObject({ pageSize: 1, total: 0 });
    expect(await operator.run(['api', 'GET', '/logs', '-q', 'pageSize=none'])).toEqual(
      refusal('INVALID_REQUEST'),
    );
  });

  test('and prints text as it is', async () => {
    const { code, out } = await api('GET /proxyfile');
    expect(code).toBe(0);
    expect(out).toContain('http://query.example {\n');
  });
});

test('on a terminal, JSON is in lines, and controls nothing', async () => {
  const name = '\u001b[2J\u202e';
  await api('POST /vhosts -f -', JSON.stringify({ ...JSON.parse(site('tty')), tags: ['a'] }));
  await api('POST /vhosts -f -', site('bell', `respond "${name}"`));
  const { seen, code } = await runAtTerminal(['api', 'GET', '/vhosts'], { cwd: operator.folder });
  expect(code).toBe(0);
  expect(seen).toContain('\n    "domain": "http://tty.example",\n');
  expect(seen).not.toContain('\u001b[2J');
  expect(seen).not.toContain('\u202e');
});

describe('--hub', () => {
  let reading = '';
  const remote = (args: string, token: string, input?: string) =>
    operator.run(['api', ...args.split(' '), '--hub', hub.replace('/api', '')], {
      before: `export SIGNALBOX_TOKEN=${token}`,
      ...(input !== undefined && { input }),
    });

  beforeAll(async () => {
    const { headers } = await signUp({ hub });
    const request = { method: 'POST', headers, json: { name: 'reading', scope: 'read' } };
    reading = (await ask<{ token: string }>(`${hub}/tokens`, request)).body.token;
  });

  test('asks there', async () => {
    expect((await remote('GET /proxyfile', reading)).out).toBe((await api('GET /proxyfile')).out);
    expect((await remote('GET /vhosts', reading)).out).toBe((await api('GET /vhosts')).out);
  });
});

test('paths are listed by method, for completion', async () => {
  const paths = async (...words: string[]) =>
    (await operator.run(['api-paths', ...words])).out.trimEnd().split('\n');
  expect(await paths('GET')).toContain('/vhosts');
  expect(await paths('DELETE')).toContain('/vhosts/{id}');
  expect(await paths('DELETE')).not.toContain('/vhosts');
  const nobody = await operator.run(['api-paths', 'GET'], { before: 'cd /' });
  expect(nobody).toEqual({ code: 0, out: '', err: '' });
});
