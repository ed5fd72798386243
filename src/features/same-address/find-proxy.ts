/** Finds in a log that one proxy forwarded nearly all requests of a day. */
import { BlockList, isIPv6 } from 'node:net';
import type { AgentClient } from '../../hub/agents/client.ts';
import { CLOUDFLARE } from '../../hub/caddyfile/cloudflare.ts';
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

/** Who connects from them is no stranger: also the networks of providers and VPNs (RFC 6598), and of one link. */
const PRIVATE = listOf(
  '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7 fe80::/10'.split(
    ' ',
  ),
);
const CDN = listOf(CLOUDFLARE);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

function familyOf(address: string) {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

const isIn = (list: BlockList, address: string): boolean => list.check(address, familyOf(address));

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
  if (isIn(PRIVATE, ip)) {
    return first.requests >= requests * SHARE ? { ip, name: ip, words: ip } : null;
  }
  const edges = ips.filter((one) => isIn(CDN, one.ip));
  const forwarded = edges.reduce((sum, one) => sum + one.requests, 0);
  const isCdn = edges.includes(first) && forwarded >= requests * SHARE;
  return isCdn ? { ip, name: 'Cloudflare', words: 'networks of Cloudflare' } : null;
}

function headersOf(details: unknown): object {
  const request = isObject(details) ? details.request : undefined;
  return isObject(request) && isObject(request.headers) ? request.headers : {};
}
