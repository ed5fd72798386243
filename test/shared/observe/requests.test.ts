/** Which requests are logged, and how loud. */
import { expect, test } from 'bun:test';
import {
  type Handler,
  observeRequests,
  type RequestSeen,
} from '../../../src/shared/observe/requests.ts';

const lines: { route: unknown; level: string | undefined }[] = [];
const seen: RequestSeen[] = [];
const wrap = observeRequests({
  routes: () =>
    ['/api/vhosts', '/api/vhosts/:id', '/api/preview', '/api/push', '/*'].map((path) => ({ path })),
  log: (_, fields, level) => lines.push({ route: fields?.route, level }),
  seen: (request) => seen.push(request),
  several: false,
  quiet: ['/api/push'],
}) as unknown as (handle: Handler) => Handler;
const handle = wrap(() => new Response('', { status: 201 }));

test.each([
  ['GET', '/api/vhosts', '/api/vhosts', 'debug'],
  ['POST', '/api/nothing', 'other', 'debug'],
  ['POST', '/api/preview', '/api/preview', 'debug'],
  ['POST', '/api/push', '/api/push', 'debug'],
  ['POST', '/api/vhosts', '/api/vhosts', 'info'],
  ['DELETE', '/api/vhosts/7', '/api/vhosts/:id', 'info'],
])('%s %s is %s, at level %s', async (method, path, route, level) => {
  lines.length = seen.length = 0;
  const response = await handle(new Request(`http://hub.example${path}`, { method }));
  expect(response.headers.get('x-request-id')).toBeString();
  expect(lines).toEqual([{ route, level }]);
  expect(seen).toMatchObject([{ method, route, status: 201 }]);
});
