/** An upstream whose answers a test decides, and what a refused change must leave as it is. */
import type { Owner } from './owner.ts';
import type { Stack } from './stack.ts';

type Upstream = {
  /** Answers 200 and this text; a number is a status instead. */
  answer: string | number;
  /** Whether it never answers; a number: how many requests it answers before. */
  hangs: boolean | number;
  readonly port: number;
  /** The user agents of the requests so far. */
  readonly askedBy: readonly string[];
  stop(): Promise<void>;
};

export function startUpstream(): Upstream {
  const askedBy: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      askedBy.push(request.headers.get('user-agent') ?? '');
      if (upstream.hangs === true || upstream.hangs === 0) return new Promise<Response>(() => {});
      if (upstream.hangs) upstream.hangs--;
      const { answer } = upstream;
      if (typeof answer === 'string') return new Response(answer);
      return new Response(null, { status: answer, headers: { Location: 'https://else.example/' } });
    },
  });
  const upstream: Upstream = {
    answer: 'ready',
    hangs: false,
    port: server.port ?? 0,
    askedBy,
    stop: () => server.stop(true),
  };
  return upstream;
}

/** What the hub stores, what is on disk, what is live, and what hosts are answered. */
export async function allOf({ stack, everything }: Owner, hosts: readonly string[]) {
  const status = await stack.askAgent<{ liveDigest: string }>('/proxy/status');
  const served = hosts.map(async (host) => [host, (await stack.served(host)).text]);
  return {
    ...(await everything()),
    live: status.body.liveDigest,
    served: await Promise.all(served),
  };
}

/** How often the agent was asked to check sites. */
export const checksIn = ({ lines }: Pick<Stack, 'lines'>): number =>
  lines.filter((line) => line.includes('"/proxy/checks"') || line.includes('route=/proxy/checks'))
    .length;
