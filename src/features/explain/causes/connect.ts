/** Causes between Caddy and an upstream: no connection. Pure. */
import { sayOwnPort } from '../../../hub/model/doubts.ts';
import { type Facts, isSpared, type Row, unansweredWith, upstreamWith } from '../facts.ts';
import type { UpstreamFinding } from '../wire.ts';

const NO_WAY = /no route to host|network is unreachable/;

/** Whether there is no way to it; the agent alone cannot tell that from a refusal. */
const isUnreachable = ({ asked }: Facts, { address, loopback }: UpstreamFinding): boolean =>
  !loopback && NO_WAY.test(asked?.error ?? '') && (asked?.error ?? '').includes(address);

const hostIn = (address: string): string => address.replace(/:\d+$/, '');
const portIn = (address: string): string => /\d+$/.exec(address)?.[0] ?? '';

/** What leads to a container: its network; or, unless Caddy is in a container itself, a port of this machine. */
function cureForContainer({ alone }: Facts, address: string): string {
  const [host, port] = [hostIn(address), portIn(address)];
  const here = `127.0.0.1:${port}`;
  return alone
    ? `If ${host} is a container, add the container of Caddy to its network.`
    : `If ${host} is a container, publish its port (in its compose file: \`ports: ["${here}:${port}"]\`), and use ${here} as the upstream.`;
}

/** Without a dot, it is probably the name of a container. */
const isBare = (host: string): boolean => /^[a-z0-9][\w-]*$/i.test(host) && host !== 'localhost';

export const CONNECT: readonly Row[] = [
  {
    code: 'UPSTREAM_ITSELF',
    test(facts) {
      const upstream = upstreamWith(facts, ({ own }) => own === 'loop');
      return upstream ? { words: sayOwnPort(upstream.address) } : null;
    },
  },
  {
    code: 'UPSTREAM_NAME',
    test(facts) {
      const upstream = unansweredWith(facts, ({ connects }) => connects === 'name');
      if (!upstream) return null;
      const host = hostIn(upstream.address);
      const words = `The proxy’s machine finds no address for the upstream’s name ${host}.`;
      const isDoubtful = isSpared(facts, upstream);
      if (!isBare(host)) return { words, isDoubtful };
      return {
        words: `${words} A name without a dot may be that of a container, which only containers in the same network know.`,
        cure: cureForContainer(facts, upstream.address),
        isDoubtful,
      };
    },
  },
  {
    code: 'UPSTREAM_LOCALHOST',
    test(facts) {
      const upstream = unansweredWith(
        facts,
        ({ connects, loopback, instead }) => connects === 'refused' && loopback && instead === null,
      );
      return upstream && facts.alone
        ? {
            words: `Nothing listens at ${upstream.address}: the proxy runs in a container, and this is the container itself.`,
            isDoubtful: isSpared(facts, upstream),
          }
        : null;
    },
  },
  {
    code: 'UPSTREAM_TIMEOUT',
    test(facts) {
      const upstream = unansweredWith(
        facts,
        (one) =>
          one.connects === 'late' ||
          one.connects === 'unreachable' ||
          (one.connects === 'refused' && isUnreachable(facts, one)),
      );
      return upstream
        ? {
            words: `${upstream.address} does not answer: no connection could be made within 5 s, or there is no way to it.`,
            isDoubtful: isSpared(facts, upstream),
          }
        : null;
    },
  },
  {
    code: 'UPSTREAM_REFUSED',
    test(facts) {
      const upstream = unansweredWith(
        facts,
        ({ connects }) => connects === 'refused' || connects === 'socket',
      );
      if (!upstream) return null;
      const { address, instead } = upstream;
      const isDoubtful = isSpared(facts, upstream);
      if (instead !== null) {
        return {
          words: `The connection to ${address} is refused, but the same port is open at ${instead}.`,
          cure: `Use ${instead} as the upstream, or let the service listen at ${address}.`,
          change: { address, to: instead },
          isDoubtful,
        };
      }
      const what = upstream.connects === 'socket' ? 'There is no socket' : 'Nothing listens';
      return { words: `${what} at ${address}: the connection is refused.`, isDoubtful };
    },
  },
];
