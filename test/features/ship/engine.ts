/**
 * A stand-in for a log engine, on loopback: no package of one is to be had. It checks each request
 * against what Loki's push API and NDJSON receivers document, and keeps every line it accepts.
 */
import { gunzipSync } from 'node:zlib';

/** What a stand-in got in one request. */
type Received = { path: string; headers: Headers; lines: string[]; times: number[] };
/** A status, or a whole response; undefined: 204 and the lines are kept. */
type Answer = number | Response | undefined;

/** The lines of a request. @throws if it breaks the rules of its format */
export async function readBatch(request: Request): Promise<Received> {
  const { pathname: path } = new URL(request.url);
  const { headers } = request;
  const isLoki = path.endsWith('/loki/api/v1/push');
  const mediaType = isLoki ? 'application/json' : 'application/x-ndjson';
  if (request.method !== 'POST') throw new Error('not a POST');
  if (headers.get('content-type') !== mediaType) throw new Error('wrong media type');
  if (headers.get('content-encoding') !== 'gzip') throw new Error('not compressed');
  const text = gunzipSync(Buffer.from(await request.arrayBuffer())).toString();
  if (!isLoki) {
    if (!text.endsWith('\n')) throw new Error('the last line has no end');
    const lines = text.slice(0, -1).split('\n');
    for (const line of lines) JSON.parse(line);
    return { path, headers, lines, times: [] };
  }
  const [lines, times]: [string[], number[]] = [[], []];
  const { streams } = JSON.parse(text) as { streams: { stream: object; values: string[][] }[] };
  for (const { stream, values } of streams) {
    const labels = Object.entries(stream);
    if (labels.length === 0 || labels.some(([name]) => !/^[a-z_]\w*$/.test(name))) {
      throw new Error('wrong labels');
    }
    if (values.length === 0) throw new Error('an empty stream');
    for (const [time = '', line = '', ...rest] of values) {
      if (!/^\d{19}$/.test(time) || rest.length > 0) throw new Error('a wrong entry');
      times.push(Number(BigInt(time) / 1_000_000n));
      lines.push(line);
    }
  }
  return { path, headers, lines, times };
}

/** @param answer decides about each batch */
export function startEngine(answer: (batch: Received) => Answer | Promise<Answer> = () => 204) {
  const requests: Received[] = [];
  const accepted: string[] = [];
  const faults: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      try {
        const batch = await readBatch(request);
        requests.push(batch);
        const given = (await answer(batch)) ?? 204;
        if (typeof given !== 'number') return given;
        if (given < 300) accepted.push(...batch.lines);
        return new Response(null, { status: given });
      } catch (error) {
        faults.push(String(error));
        return new Response(null, { status: 500 });
      }
    },
  });
  return {
    url: (path = '/loki/api/v1/push') => `http://127.0.0.1:${server.port}${path}`,
    requests,
    accepted,
    /** What was wrong with requests; always empty, if the shipper is right. */
    faults,
    stop: () => server.stop(true),
  };
}
