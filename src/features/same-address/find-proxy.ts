/** Finds in a log that one proxy forwarded nearly all requests of a day. */
import type { AgentClient } from '../../hub/agents/client.ts';
import { isOfCloudflare } from '../../hub/caddyfile/cloudflare.ts';
import { isPrivateAddress } from '../../shared/internal-names.ts';
import { isObject } from '../../shared/json.ts';
import type { LogPage, LogStats } from '../../shared/wire/logs.ts';

/** What a proxy is trusted by, what it is called in a sentence, and the header in which it says who a visitor is. */
export type FoundProxy = Readonly<{ name: string; words: string; header: string }>;

const DAY_MS = 86_400_000;
/** So many requests say something. */
const ENOUGH = 200;
/** The share of them that are from one address, and that of the sample that has a header. */
const SHARE = 0.95;
const SHARE_OF_SAMPLE = 0.9;
const SAMPLE = 100;

/** As Caddy logs their names. */
const HEADERS = ['X-Forwarded-For', 'Cf-Connecting-Ip', 'X-Real-Ip', 'True-Client-Ip', 'Forwarded'];

/** Null if there is none, or too few requests to say. @throws Failure as `AgentClient.stats` */
export async function findProxy(
  client: Pick<AgentClient, 'stats' | 'logs'>,
  now: Date,
): Promise<FoundProxy | null> {
  const from = new Date(now.getTime() - DAY_MS).toISOString();
  const source = sourceOf((await client.stats({ from })).latest);
  if (!source) return null;
  const { ip, ...proxy } = source;
  const sample = { from, ip, details: 'true', pageSize: String(SAMPLE) };
  const { logs } = JSON.parse(await client.logs(sample)) as LogPage;
  const header = HEADERS.find((name) => {
    const having = logs.filter(({ details }) => name in headersOf(details));
    return having.length >= logs.length * SHARE_OF_SAMPLE;
  });
  return logs.length > 0 && header ? { ...proxy, header } : null;
}

/** Where nearly all requests come from, and an address of it. */
function sourceOf({ requests, ips }: LogStats['latest']) {
  if (requests < ENOUGH) return null;
  const [first] = ips;
  if (!first) return null;
  const { ip } = first;
  if (isPrivateAddress(ip)) {
    return first.requests >= requests * SHARE ? { ip, name: ip, words: ip } : null;
  }
  const edges = ips.filter((one) => isOfCloudflare(one.ip));
  const forwarded = edges.reduce((sum, one) => sum + one.requests, 0);
  const isCdn = edges.includes(first) && forwarded >= requests * SHARE;
  return isCdn ? { ip, name: 'Cloudflare', words: 'networks of Cloudflare' } : null;
}

function headersOf(details: unknown): object {
  const request = isObject(details) ? details.request : undefined;
  return isObject(request) && isObject(request.headers) ? request.headers : {};
}
