import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { t } from 'elysia';
import { buildDocument } from '../../../src/features/openapi/document.ts';
import { about, TAGS } from '../../../src/hub/http/about.ts';
import { FAILURES } from '../../../src/shared/failure.ts';
import { PAGES } from '../../../src/shared/pages.ts';
import { folderForFile } from '../../harness/for-file.ts';
import { createChecker, type Document, operationsOf } from '../../harness/openapi.ts';
import { hubRoutes, registered } from '../../harness/routes.ts';

const folder = folderForFile();

const made = buildDocument(registered(folder), '1.2.3');
const document = made as unknown as Document;
const operations = operationsOf(document);
const route = (response: object, detail?: object) => ({
  method: 'GET',
  path: '/a',
  hooks: { response, ...(detail && { detail }) },
});
const detail = about({ id: 'getA', tag: 'Status', summary: 'A', access: 'read', needs: 'viewer' });

describe('buildDocument refuses', () => {
  test('routes without detail or response, naming all of them', () => {
    const silent = { ...route({ 200: t.String() }), method: 'POST' };
    const bare = { method: 'GET', path: '/a', hooks: { detail } };
    expect(() => buildDocument([silent, bare], '0')).toThrow(
      'POST /a: it has no detail: about(…)\nGET /a: it has no response',
    );
  });

  test('an error schema without codes', () => {
    const plain = t.Object({ code: t.String(), message: t.String() }, { title: 'Error' });
    expect(() => buildDocument([route({ 200: t.String(), 404: plain }, detail)], '0')).toThrow(
      'GET /a: a refusal names no codes',
    );
  });

  test('two different schemas with one title', () => {
    const one = t.Object({ a: t.Object({ x: t.String() }, { title: 'X' }) });
    const two = t.Object({ a: t.Object({ x: t.Integer() }, { title: 'X' }) });
    expect(() => buildDocument([route({ 200: one, 201: two }, detail)], '0')).toThrow('called X');
  });
});

test('it lists no section without routes, and all others in their order', () => {
  const { tags } = buildDocument([route({ 200: t.String() }, detail)], '0');
  expect(tags).toEqual([{ name: 'Status', description: TAGS.Status }]);
  expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(TAGS));
});

test('it is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(made));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
});

test('it contains every route of the app, and nothing else', () => {
  const inApp = hubRoutes(folder)
    .filter(({ hidden }) => !hidden)
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '')}`);
  const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(described.toSorted()).toEqual(inApp.toSorted());
});

test('only pages and the way back from the sign-in service are left out', () => {
  const hidden = hubRoutes(folder).filter((one) => one.hidden);
  const docs = ['/docs', '/docs/:page'];
  const pages = PAGES.map(([path]) => path);
  const left = new Set(['/api/auth/callback/oidc', '/:file', '/*', ...docs, ...pages]);
  expect(hidden.map(({ path }) => path).filter((path) => !left.has(path))).toEqual([]);
  expect(hidden.length).toBe(left.size);
});

test('every operation has a unique name, and every tag is described', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  const tags = document.tags.map(({ name }) => name);
  for (const { operation } of operations) {
    expect(operation.summary).not.toBe('');
    for (const tag of operation.tags) expect(tags).toContain(tag);
  }
  const { schemas } = document.components;
  for (const name of ['Vhost', 'NewVhost', 'Error', 'LogPage', 'ChangelogEntry', 'Snapshot']) {
    expect(schemas[name]).toBeObject();
  }
});

test('every reference resolves, and our own extension is removed', () => {
  const text = JSON.stringify(made);
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    expect(document.components.schemas[name]).toBeObject();
  }
  expect(text).not.toContain('x-about');
  expect(text.split('multipart/form-data')).toHaveLength(2);
  expect(text).not.toContain('"format":"integer"');
});

test('every code is listed under its status', () => {
  for (const { operation } of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      const codes = Object.keys(content?.['application/json']?.examples ?? {});
      expect(codes.length).toBeGreaterThan(0);
      for (const code of codes) {
        expect<number | undefined>(FAILURES[code as keyof typeof FAILURES].status).toBe(
          Number(status),
        );
      }
    }
  }
});

const checker = createChecker(document);

test.each(operations.map((one) => [one.operation.operationId, one] as const))(
  'the examples of %s match their schemas',
  (_, one) => expect(checker.examples(one)).toEqual([]),
);
