/** A proxy that served someone else's sites before signalbox came. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forFile } from '../../harness/for-file.ts';
import { startBesideForeignCaddy } from '../../harness/foreign-caddy.ts';
import { countListeners } from '../../harness/listeners.ts';
import { ask, until } from '../../harness/stack.ts';

const stack = await forFile(startBesideForeignCaddy());

const create = (query = '', config = 'respond ours') =>
  ask<{ code?: string; id: number }>(`${stack.hub}/vhosts${query}`, {
    json: { domain: `http://ours.example:${stack.httpPort}`, config },
    headers,
  });
type Status = { inStep: boolean; foreign: boolean; drift: boolean; lastPublish: object | null };
const status = async () => (await ask<Status>(`${stack.hub}/status`, { headers })).body;
const untilInStep = () =>
  until(async () => (await status()).inStep, 'the proxy to be in step', 5_000);
const names = () => readdirSync(stack.folder).filter((name) => name.startsWith('Caddyfile'));
const read = (name: string) => readFileSync(join(stack.folder, name), 'utf8');

// Each test goes on from where the one before it ended.
const headers = stack.owner.headers;

describe('a proxy with someone else’s sites', () => {
  test('is left alone: the first change is 409 IMPORT_FIRST', async () => {
    const refused = await create();
    expect([refused.status, refused.body.code]).toEqual([409, 'IMPORT_FIRST']);
    expect((await ask(`${stack.hub}/vhosts`, { headers })).text).toBe('[]');
    expect((await ask(`${stack.hub}/changelog`, { headers })).text).toBe('[]');
    expect(read('Caddyfile')).toBe(stack.theirs);
    expect(names()).toEqual(['Caddyfile']);
    expect(await stack.served('theirs.example')).toBe('theirs');
    expect(await status()).toMatchObject({ foreign: true, inStep: false, lastPublish: null });
  });

  test('is not replaced by a first change with a check, because nobody could bring that back', async () => {
    const check = { path: '/', within: 0.1 };
    const refused = await ask<{ code?: string }>(`${stack.hub}/vhosts?replace=true`, {
      json: { domain: `http://ours.example:${stack.httpPort}`, config: 'respond 503', check },
      headers,
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'IMPORT_FIRST']);
    expect(read('Caddyfile')).toBe(stack.theirs);
    expect(await stack.served('theirs.example')).toBe('theirs');
  });

  test('is taken over with ?replace=true, and their file kept next to ours', async () => {
    expect((await create('?replace=perhaps')).status).toBe(400);
    const refused = await create('?replace=true', 'respnd x');
    expect([refused.status, refused.body.code]).toEqual([502, 'PROXY_REJECTED']);
    expect(await stack.served('theirs.example')).toBe('theirs');
    expect((await create()).body.code).toBe('IMPORT_FIRST');

    expect((await create('?replace=true')).status).toBe(201);
    expect(await stack.served('ours.example')).toBe('ours');
    expect(await stack.served('theirs.example')).toBe('');
    expect(read('Caddyfile.before-signalbox')).toBe(stack.theirs);
    expect(await status()).toMatchObject({ foreign: false, inStep: true, drift: false });
  });
});

describe('after the first publish', () => {
  test('a text sent straight to the agent is live only until the next check', async () => {
    const pushed = await ask(`${stack.agent}/proxy/reload`, {
      json: { proxyfile: `http://ours.example:${stack.httpPort} {\nrespond pushed\n}\n` },
      headers: stack.agentHeaders,
    });
    expect(pushed.status).toBe(200);
    await until(async () => (await stack.served('ours.example')) === 'ours', 'our site', 5_000);
    await untilInStep();
  });

  test('a Caddy that someone else restarts is brought back in step, access log included', async () => {
    await stack.restartCaddy();
    await untilInStep();
    await until(() => countListeners(stack.httpPort) === 1, 'one listener');
    const before = await logged();
    expect(await stack.served('ours.example')).toBe('ours');
    await until(async () => (await logged()) === before + 1, 'one more line in the log');
  });

  const logged = async () =>
    (await ask<{ total: number }>(`${stack.hub}/logs?domain=ours.example`, { headers })).body.total;

  test('a file that someone edits is drift: reported, kept, and not overwritten', async () => {
    const list = await ask<{ id: number }[]>(`${stack.hub}/vhosts`, { headers });
    writeFileSync(stack.file, '# mine now\n');
    expect(await status()).toMatchObject({
      drift: true,
      inStep: true,
      warnings: expect.arrayContaining([expect.stringContaining('caddy reload')]),
    });
    await Bun.sleep(2_500);
    expect(read('Caddyfile')).toBe('# mine now\n');
    const put = await ask(`${stack.hub}/vhosts/${list.body[0]?.id}`, {
      method: 'PUT',
      json: { config: 'respond new' },
      headers,
    });
    expect(put.status).toBe(200);
    expect(await status()).toMatchObject({ drift: false, inStep: true });
    expect(JSON.stringify(await status())).not.toContain('caddy reload');
    const copy = names().find((name) => name.startsWith('Caddyfile.changed-'));
    expect(read(copy ?? 'none')).toBe('# mine now\n');
    expect(read('Caddyfile.before-signalbox')).toBe(stack.theirs);
  });
});
