/** Long answers of the API in gzip. */
import { beforeAll, expect, test } from 'bun:test';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { forFile } from '../../harness/for-file.ts';
import { startOwner } from '../../harness/owner.ts';
import { until } from '../../harness/stack.ts';

const SITES = 40;
const owner = await forFile(startOwner());
const PADDING = `# ${'long '.repeat(200)}\nrespond a`;

beforeAll(async () => {
  const operations = Array.from({ length: SITES }, (_, at) => ({
    op: 'create',
    domain: `http://s${at}.example`,
    config: PADDING,
  }));
  expect((await owner.call('POST', '/vhosts/bulk', { operations })).status).toBe(200);
});

type Raw = { headers: Record<string, unknown>; body: Buffer };

/** As it is on the wire: `fetch` unpacks what it gets. */
function get(path: string, encodings?: string, method = 'GET'): Promise<Raw> {
  const headers = {
    ...owner.headers,
    ...(encodings === undefined ? {} : { 'Accept-Encoding': encodings }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${owner.stack.hub}${path}`, { headers, method }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('end', () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test.each([undefined, 'br', 'gzip;q=0', 'identity'])(
  'a client that accepts %j gets the plain text',
  async (encodings) => {
    const { headers, body } = await get('/vhosts', encodings);
    expect(headers['content-encoding']).toBeUndefined();
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(JSON.parse(body.toString())).toHaveLength(SITES);
  },
);

test('short answers are not packed', async () => {
  expect((await get('/health', 'gzip')).headers['content-encoding']).toBeUndefined();
});

test('nor are long ones with an ETag, which names one sequence of bytes', async () => {
  const config = `# ${'long '.repeat(3_000)}\nrespond a`;
  const { id } = await owner.create('long', config);
  const { headers, body } = await get(`/vhosts/${id}`, 'gzip');
  expect(body.length).toBeGreaterThan(8 * 1024);
  expect([headers['content-encoding'], typeof headers.etag]).toEqual([undefined, 'string']);
});

test('nor is the access log, into which anyone can write', async () => {
  const lines = 20;
  for (let line = 0; line < lines; line++) {
    await owner.stack.served('s0.example', `/${'x'.repeat(1_000)}`);
  }
  const { headers } = await until(async () => {
    const page = await get('/logs', 'gzip');
    return page.body.length > lines * 1_000 && page;
  });
  expect(headers['content-encoding']).toBeUndefined();
});

test.each(['/vhosts', '/vhosts/state', '/export', '/openapi.json'])(
  '%s in gzip has the same bytes and headers',
  async (path) => {
    // States change by themselves.
    const { plain, packed } = await until(async () => {
      const plain = await get(path);
      const packed = await get(path, 'deflate, gzip, br');
      return plain.body.equals((await get(path)).body) && { plain, packed };
    }, 'an answer that stays the same');
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toBe('Accept-Encoding');
    expect(Number(packed.headers['content-length'])).toBe(packed.body.length);
    expect(packed.body.length).toBeLessThan(plain.body.length / 2);
    expect(gunzipSync(packed.body).toString()).toBe(plain.body.toString());
    for (const name of ['content-type', 'cache-control', 'x-content-type-options', 'etag']) {
      expect(packed.headers[name]).toEqual(plain.headers[name]);
    }
    expect(packed.headers['x-request-id']).toBeString();
  },
);

test('a refusal is a refusal in gzip too', async () => {
  const answer = await owner.call('POST', '/preview', { op: 'create' });
  expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
});
