/** Random log lines: what Caddy writes, what it can be configured to write, and damaged lines. */

/** A pseudo-random number generator (mulberry32): the same seed gives the same numbers. */
export function random(seed: number) {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(unit() * n);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { unit, below, pick, chance: (p: number) => unit() < p };
}

export type Random = ReturnType<typeof random>;

const STATUSES = [200, 200, 200, 204, 301, 404, 404, 499, 500, 502, 0] as const;
const HOSTS = [
  'a.example',
  'a.example',
  'b.example:8443',
  'B.Example',
  'c.example.',
  '[::1]:20080',
  '[::1]',
  '10.0.0.7',
  'xn--bcher-kva.example',
  'bücher.example',
  '',
] as const;

// What a client can put into a header or a path to imitate another part of the line.
const SLY = [
  'plain',
  '","status":500,"x":"',
  '"status":418',
  '"host":"evil.example"',
  '}},"user_id":"","duration":1,"size":1,"status":599,"resp_headers":{',
  '{"level":"info"',
  'curly},',
  '"]}}',
  'back\\slash\\',
  '\u2028\u2029',
  'ünïcödé \ufffd',
  'tab\there',
  '[',
  '',
] as const;

type Json = Record<string, unknown>;

/** The members of an access entry in the order Caddy writes them; `time` in seconds. */
export function caddyEntry(r: Random, time: number): Json {
  const sly = () => (r.chance(0.3) ? r.pick(SLY) : 'Mozilla/5.0 (X11; Linux x86_64)');
  const status = r.pick(STATUSES);
  const modern = r.chance(0.3);
  const header = (name: string) => ({ [name]: r.chance(0.05) ? [] : [sly()] });
  return {
    level: status >= 400 ? 'error' : 'info',
    ts: Number((time + r.unit()).toFixed(r.pick([6, 6, 7, 7, 3, 1, 0]))),
    logger: `http.log.access${r.pick(['', '.log4', '.default'])}`,
    msg: r.chance(0.05) ? 'NOP' : 'handled request',
    request: {
      remote_ip: '10.0.0.9',
      remote_port: String(1024 + r.below(60000)),
      ...(modern && { client_ip: `${r.pick(['192.0.2.', '2001:db8::'])}${1 + r.below(99)}` }),
      proto: 'HTTP/1.1',
      method: r.pick(['GET', 'POST', 'HEAD']),
      host: r.pick(HOSTS),
      uri: `/p/${r.below(1000)}${r.chance(0.2) ? r.pick(SLY) : ''}?q=${r.below(9)}`,
      headers: { ...header('User-Agent'), ...header('Accept'), ...header('X-Sly') },
      ...(r.chance(0.3) && {
        tls: { resumed: false, version: 772, proto: 'h2', server_name: 'a' },
      }),
    },
    ...(modern && { bytes_read: 0 }),
    user_id: r.chance(0.1) ? sly() : '',
    duration: Number((r.unit() * 3).toFixed(9)),
    size: r.below(100000),
    status,
    resp_headers: r.chance(0.1) ? {} : { Server: ['Caddy'], ...header('X-Reply') },
  };
}

/** A line without its newline: most are Caddy's own, some are changed, cut, torn or foreign. */
export function anyLine(r: Random, time: number): Buffer {
  const entry = caddyEntry(r, time);
  const plain = JSON.stringify(entry);
  if (r.chance(0.6)) return Buffer.from(plain);
  const request = entry.request as Json;
  const cases: (() => string | Buffer)[] = [
    // Other orders, other names, other notations.
    () => JSON.stringify({ status: entry.status, ...entry }),
    () => JSON.stringify(Object.fromEntries(Object.entries(entry).reverse())),
    () => JSON.stringify(entry, null, 1).replaceAll('\n', ' '),
    () => JSON.stringify({ ...entry, ts: new Date(time * 1000).toISOString(), duration: '1.5ms' }),
    () => JSON.stringify({ ...entry, ts: Math.round(time * 1e9), duration: 1_500_000 }),
    () => plain.replace('"host"', '"h\\u006fst"').replace('"status"', '"st\\u0061tus"'),
    () => plain.replace('a.example', '\\u0061.example'),
    // Keys that occur twice: the last counts.
    () => plain.replace(/}$/, ',"status":201}'),
    () => plain.replace(/}$/, ',"status":"no number"}'),
    () => plain.replace(/}$/, ',"request":{"host":"late.example"}}'),
    () => plain.replace('"uri"', '"host":"twice.example","uri"'),
    () => plain.replace(',"headers"', ',"headers":{},"host":"after.example","headers"'),
    () => plain.replace(/}$/, ',"extra":{"a":["b"]},"status":410}'),
    // What should be a number or an object but is not.
    () => JSON.stringify({ ...entry, status: '200' }),
    () => JSON.stringify({ ...entry, status: null }),
    () => JSON.stringify({ ...entry, status: r.pick([200.5, -1, 1e3, 404.0, 1e300]) }),
    () => plain.replace(/"status":\d+/, '"status":0200'),
    () => JSON.stringify({ ...entry, request: r.pick([null, [], 'x', 1]) }),
    () => JSON.stringify({ ...entry, request: { ...request, host: r.pick([null, 5, undefined]) } }),
    () => JSON.stringify({ nested: entry }),
    () => JSON.stringify({ level: 'info', x: { y: 1, request }, ...entry, request: undefined }),
    () => JSON.stringify({ ...entry, request: { remote_ip: 'z', z: request } }),
    () => JSON.stringify({ ...entry, request: { ...request, status: 999 }, status: undefined }),
    // Cut at either end, torn, with holes, mixed up.
    () => plain.slice(0, r.below(plain.length)),
    () => plain.slice(1 + r.below(plain.length)),
    () => plain.slice(0, r.below(plain.length)) + JSON.stringify(caddyEntry(r, time)),
    () => `${plain}${plain}`,
    () => {
      const bytes = Buffer.from(plain);
      const half = bytes.length >> 1;
      return bytes.fill(0, r.below(half), half + r.below(50));
    },
    () => {
      const bytes = Buffer.from(plain);
      const letter = bytes.indexOf('Mozilla');
      if (letter >= 0) bytes[letter] = 0xff;
      return bytes;
    },
    () => `${plain}\r`,
    () => ` ${plain} `,
    () => `\ufeff${plain}`,
    // Not JSON, or not objects.
    () => r.pick(['', ' ', 'plain text', '[1,2]', 'null', '5', '"status"', '{}', '{', '}}']),
    () => '{"level":"info","ts":1.5,"msg":"serving initial configuration"}',
  ];
  const made = r.pick(cases)();
  const bytes = Buffer.isBuffer(made) ? made : Buffer.from(made);
  return bytes.includes(10) ? Buffer.from('not one line') : bytes;
}

/** `count` such lines, each with a newline. */
export function anyLines(r: Random, count: number, time: number): Buffer {
  const pieces: Buffer[] = [];
  for (let i = 0; i < count; i++) pieces.push(anyLine(r, time + i / 100), Buffer.from('\n'));
  return Buffer.concat(pieces);
}

/** A default line with the given members; those of `request` are merged into its own. */
export function line(changes: Json = {}): string {
  const r = random(1);
  const base = {
    level: 'info',
    ts: 1795212767.620665,
    logger: 'http.log.access.log4',
    msg: 'handled request',
    request: {
      remote_ip: '127.0.0.1',
      remote_port: String(1024 + r.below(60000)),
      proto: 'HTTP/1.1',
      method: 'GET',
      host: 'b.example',
      uri: '/',
      headers: { 'User-Agent': ['curl/7.88.1'], Accept: ['*/*'] },
    },
    user_id: '',
    duration: 0.000049363,
    size: 2,
    status: 200,
    resp_headers: { Server: ['Caddy'], 'Content-Type': ['text/plain; charset=utf-8'] },
  };
  return JSON.stringify({
    ...base,
    ...changes,
    request: { ...base.request, ...(changes.request as Json | undefined) },
  });
}
