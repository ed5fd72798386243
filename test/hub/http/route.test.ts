/** What a route is refused with, as far as it follows from the rest of what the route declares. */
import { expect, test } from 'bun:test';
import { t } from 'elysia';
import { AgentQuery, IdParams } from '../../../src/hub/http/params.ts';
import { route } from '../../../src/hub/http/route.ts';

const COMMON = { id: 'one', tag: 'Status', summary: 'One', returns: t.Null() } as const;
const READS = { ...COMMON, access: 'read' } as const;
const WRITES = { ...COMMON, access: 'write' } as const;
const BODY = t.Object({});

function codesOf({ response }: { response: object }): string[] {
  const refusals = Object.entries(response).filter(([status]) => Number(status) >= 400);
  return refusals.flatMap(([, { properties }]) =>
    (properties.code.anyOf ?? [properties.code]).map((code: { const: string }) => code.const),
  );
}

test.each([
  ['UNAUTHENTICATED', route({ ...COMMON, access: 'anyone' }), route(READS)],
  ['FORBIDDEN_ROLE', route(READS), route({ ...READS, needs: 'editor' })],
  ['FORBIDDEN', route({ ...READS, needs: 'owner' }), route(WRITES)],
  ['SESSION_NOT_FRESH', route(WRITES), route({ ...WRITES, fresh: true })],
  ['AGENT_UNREACHABLE', route(READS), route({ ...READS, asks: 'agent' })],
  ['PROXY_UNREACHABLE', route({ ...READS, asks: 'agent' }), route({ ...READS, asks: 'proxy' })],
  ['PROXY_REJECTED', route({ ...WRITES, asks: 'proxy' }), route({ ...WRITES, publishes: true })],
  ['NOT_FOUND', route(READS), route({ ...READS, params: IdParams })],
  ['NOT_FOUND', route({ ...READS, query: t.Object({}) }), route({ ...READS, query: AgentQuery })],
  ['BODY_TOO_LARGE', route(WRITES), route({ ...WRITES, body: BODY, isForm: true })],
  [
    'INVALID_JSON',
    route({ ...WRITES, body: BODY, isForm: true }),
    route({ ...WRITES, body: BODY }),
  ],
  [
    'PRECONDITION_FAILED',
    route({ ...WRITES, requestHeaders: ['If-None-Match'] }),
    route({ ...WRITES, requestHeaders: ['If-Match'] }),
  ],
  ['KEY_REUSED', route(WRITES), route({ ...WRITES, requestHeaders: ['Idempotency-Key'] })],
  ['STALE', route(WRITES), route({ ...WRITES, refuses: ['STALE'] })],
] as const)('%s follows', (code, without, having) => {
  expect(codesOf(without)).not.toContain(code);
  expect(codesOf(having)).toContain(code);
});

test('the role that is usual for what a request may do', () => {
  const needs = [route(READS), route(WRITES)].map(({ detail }) => detail['x-about'].needs);
  expect(needs).toEqual(['viewer', 'editor']);
});
