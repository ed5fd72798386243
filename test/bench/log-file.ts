/** Writes a log to measure with: the same bytes every time. */

export const DOMAINS = 40;
const STATUSES = [200, 200, 200, 200, 200, 200, 204, 301, 304, 304, 404, 404, 500, 502];

/** The time of the first line, in seconds since 1970. */
const START = 1795212767;
/** Average number of seconds from one line to the next. */
const STEP = 0.025;

/** When a log of that many lines has to start to end at a time, both in seconds since 1970. */
export const startFor = (lines: number, end: number): number => Math.floor(end - lines * STEP);

/** Writes lines as Caddy does for browsers; the first domains get most of the requests. */
export async function writeLog(file: string, lines: number, start = START): Promise<void> {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const writer = Bun.file(file).writer({ highWaterMark: 1 << 22 });
  let micros = 0;
  for (let i = 0; i < lines; i++) {
    micros += random(50_000);
    const host = `site${Math.min(random(DOMAINS), random(DOMAINS))}.example`;
    const status = STATUSES[random(STATUSES.length)] ?? 200;
    const seconds = start + Math.floor(micros / 1e6);
    const fraction = String(micros % 1e6).padStart(6, '0');
    writer.write(
      `{"level":"${status < 400 ? 'info' : 'error'}","ts":${seconds}.${fraction},` +
        `"logger":"http.log.access.agent_access","msg":"handled request","request":{` +
        `"remote_ip":"10.0.${random(256)}.${random(256)}","remote_port":"${1024 + random(60_000)}",` +
        `"proto":"HTTP/2.0","method":"GET","host":"${host}","uri":"/a/${random(5000)}?v=${i}",` +
        '"headers":{"User-Agent":["Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101"],' +
        '"Accept":["*/*"],"Accept-Encoding":["gzip, deflate, br"]},"tls":{"resumed":false,' +
        `"version":772,"cipher_suite":4865,"proto":"h2","server_name":"${host}"}},"user_id":"",` +
        `"duration":0.${String(random(1e9)).padStart(9, '0')},"size":${random(100_000)},` +
        `"status":${status},"resp_headers":{"Server":["Caddy"],` +
        '"Content-Type":["text/html; charset=utf-8"]}}\n',
    );
    if (i % 20_000 === 0) await writer.flush();
  }
  await writer.end();
}
