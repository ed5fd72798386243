/** An `admin` option on every way into the stored Caddyfile: none of them may keep it. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { forAllTests } from '../harness/for-tests.ts';
import { ask, signUp, startStack } from '../harness/stack.ts';

const HIDDEN: [name: string, options: string, line: number | undefined][] = [
  ['on a line of its own', '{\n\tadmin off\n}', 2],
  ['on the line of the brace', '{ admin off\n}', 1],
  ['to an unusable address', '{\n\tadmin 203.0.113.1:1\n}', 2],
  ['with its own block', '{\n\tadmin localhost:1 {\n\t\torigins x\n\t\tenforce_origin\n\t}\n}', 2],
  ['in a placeholder', '{\n\t{$NO:admin} off\n}', undefined],
  ['in quotes', '{\n\t"admin" off\n}', 2],
];

describe('an admin option', () => {
  const stack = forAllTests(() => startStack());
  let headers: Record<string, string>;
  let before: unknown;
  const call = (method: string, path: string, json?: unknown) =>
    ask<{ code: string; detail: string; line?: number; valid?: boolean; skipped?: object[] }>(
      `${stack.hub}${path}`,
      { method, headers, ...(json === undefined ? {} : { json }) },
    );
  /** Everything that is stored or live. */
  const everything = async () => [
    (await call('GET', '/export')).body,
    stack.readProxyfile(),
    (await stack.askAgent('/proxy/status')).body,
  ];

  beforeAll(async () => {
    headers = (await signUp(stack)).headers;
    const json = { domain: 'http://a.example', config: 'respond a' };
    expect((await ask(`${stack.hub}/vhosts`, { headers, json })).status).toBe(201);
    before = await everything();
  });

  describe.each(HIDDEN)('%s is refused', (_, config, line) => {
    const site = () => `${config}\nhttp://b.example:${stack.httpPort} {\n\trespond b\n}\n`;

    test('in the preamble', async () => {
      const answer = await call('PUT', '/preamble', { config });
      expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
      if (line)
        expect(answer.body).toMatchObject({ detail: expect.stringContaining('admin'), line });
    });

    test('in a preview', async () => {
      const answer = await call('POST', '/preview', { op: 'preamble', config });
      expect(answer.body).toMatchObject({ valid: false });
      if (line) expect(answer.body.line).toBe(line);
    });

    test('in a restored export', async () => {
      const saved = (await call('GET', '/export')).body;
      const answer = await call('POST', '/restore?replace=true', { ...saved, preamble: config });
      expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
    });

    test('by the agent', async () => {
      const answer = await stack.askAgent<{ line?: number }>('/proxy/reload', {
        proxyfile: site(),
      });
      const detail = expect.stringContaining('admin');
      expect([answer.status, answer.body]).toMatchObject([502, { code: 'PROXY_REJECTED', detail }]);
      expect(answer.body.line).toBe(line);
    });

    test('or left out by an import, which says so', async () => {
      const answer = await call('POST', '/import', { proxyfile: site(), dryRun: true });
      if (line) expect(answer.body.skipped).toEqual([{ line, reason: expect.any(String) }]);
      else expect([answer.status, answer.body.code]).toEqual([502, 'PROXY_REJECTED']);
      expect(answer.text).not.toMatch(/admin (off|localhost)/);
    });

    test('and changes nothing', async () => {
      expect(await everything()).toEqual(before as unknown[]);
    });
  });
});
