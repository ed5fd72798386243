/** `GET /recipes` and `POST /recipes/:id/render`. */

import { describe, expect, test } from 'bun:test';
import { RECIPES } from '../../../src/hub/recipes/registry.ts';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import type { Answer } from '../../harness/stack.ts';
import { isBlock } from '../recipes/sites-caddy.ts';

type RecipeView = {
  id: string;
  kind: string;
  fields: { properties: Record<string, { title: string }> };
  available: boolean;
  reason?: string;
  example: Record<string, unknown>;
};
type Rendered = { config: string; code?: string; field?: string };

const owner = await forFile(startOwner());

const list = () => owner.call<RecipeView[]>('GET', '/recipes');
const render = (id: string, json: unknown): Promise<Answer<Rendered>> =>
  owner.call('POST', `/recipes/${id}/render`, json);

describe('refused', () => {
  test.each<[string, unknown, string]>([
    ['allow', {}, 'values'],
    ['allow', { values: {} }, 'networks'],
    // All that is wrong with the values of each: see test/hub/recipes/values.test.ts.
    ['basic-auth', { values: { users: [{ name: 'ada' }] } }, 'users.0.password'],
  ])('%s %j: %s', async (id, json, field) => {
    const { status, body } = await render(id, json);
    expect([status, body.code, body.field]).toEqual([400, 'INVALID_REQUEST', field]);
  });

  test('an unknown recipe', async () => {
    const { status, body } = await render('none', { values: {} });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('a password is not repeated', async () => {
    const values = { users: [{ name: 'ada', password: 'secret'.repeat(13) }] };
    const { status, text } = await render('basic-auth', { values });
    expect(status).toBe(400);
    expect(text).not.toContain('secret');
  });
});

test('all recipes are listed, with what a form needs', async () => {
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body.map(({ id }) => id)).toEqual(RECIPES.map(({ id }) => id));
  expect(body.filter(({ available, reason }) => !available || reason)).toEqual([]);
  for (const [index, { fields, example }] of body.entries()) {
    expect<unknown>(fields).toEqual(JSON.parse(JSON.stringify(RECIPES[index]?.fields)));
    expect<unknown>(example).toEqual(RECIPES[index]?.example);
  }
});

describe('rendered', () => {
  test('every example is accepted as the config of a vhost, policies around another one', async () => {
    for (const { id, kind, example } of (await list()).body) {
      const { status, body } = await render(id, { values: example });
      expect([id, status]).toEqual([id, 200]);
      const config =
        kind === 'site' ? body.config : body.config.replace(/# the dir.*/, 'respond BODY');
      const scheme = config.startsWith('tls ') ? 'https://' : 'http://';
      const domain = isBlock(config) ? scheme : `${scheme}${id}.example`;
      const json = { op: 'create', domain, upstream: 'a:1', config };
      const preview = await owner.call<{ valid: boolean; detail: string | null }>(
        'POST',
        '/preview',
        json,
      );
      expect([id, preview.body.detail]).toEqual([id, null]);
      expect(preview.body.valid).toBe(true);
    }
  });

  test('without its directives, a policy guards nothing, but shows nothing either', async () => {
    const { body } = await render('allow', { values: { networks: ['203.0.113.1'], status: 410 } });
    const json = { domain: `http://guarded.example`, config: body.config };
    expect((await owner.call('POST', '/vhosts', json)).status).toBe(201);
    expect((await owner.stack.served('guarded.example')).status).toBe(410);
  });

  test('a password is hashed, and nothing is stored', async () => {
    const before = (await owner.call('GET', '/export')).text;
    const values = { users: [{ name: 'ada', password: 'correct horse' }] };
    const { body, text } = await render('basic-auth', { values });
    expect(text).not.toContain('correct horse');
    expect(body.config).toMatch(/"ada" \$2b\$14\$[./A-Za-z0-9]{53}\n/);
    expect((await owner.call('GET', '/export')).text).toBe(before);
    expect(owner.stack.lines.join('\n')).not.toContain('correct horse');
  });
});

test('the agent lists the modules', async () => {
  const { body } = await owner.stack.askAgent<{ modules: string[] }>('/proxy/modules');
  expect(body.modules).toContain('http.handlers.reverse_proxy');
  expect(body.modules.filter((name) => !/^[a-z][\w.]*$/.test(name))).toEqual([]);
});
