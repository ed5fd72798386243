/** Which answers of the admin endpoint are refusals. A stand-in gives those of versions that are not at hand. */
import { expect, test } from 'bun:test';
import { createAdmin } from '../../../agent/caddy/admin.ts';
import { serverForFile } from '../../harness/for-file.ts';

let answer = { status: 200, text: '' };
const endpoint = serverForFile(({ url }) =>
  url.endsWith('/metrics') ? new Response() : new Response(answer.text, { status: answer.status }),
);
const admin = createAdmin({ address: `127.0.0.1:${endpoint.port}`, secret: 'secret.invalid' });

const WARNINGS = '[{"file":"Caddyfile","message":"not formatted"}]';
const REASON = 'loading config: no module';

test.each([
  ['an error', 400, JSON.stringify({ error: REASON }), REASON],
  ['warnings and an error after each other', 200, `${WARNINGS}{"error":"${REASON}"}\n`, REASON],
  ['both in one object', 400, `{"result":{},"warnings":${WARNINGS},"error":"${REASON}"}\n`, REASON],
  ['an error that is none', 400, '{"warnings":[],"error":7}', 'HTTP 400'],
  ['no words', 500, '', 'HTTP 500'],
  ['a word', 400, 'null', 'HTTP 400'],
  ['a config that has such a text', 200, '{"apps":{"x":{"error":"y"}}}', null],
  ['nothing', 200, '', null],
])('%s', async (_, status, text, error) => {
  answer = { status, text };
  expect(await admin.load('{}')).toEqual({ status, text, error });
});
