/** Causes in what Caddy and an upstream speak with each other. Pure. */
import {
  type Change,
  type Facts,
  isCaddysError,
  isSpared,
  type Row,
  upstreamWith,
} from '../facts.ts';
import type { PeerCertificate, UpstreamFinding } from '../wire.ts';
import { serviceOf } from './services.ts';

const speaking = (facts: Facts, what: UpstreamFinding['speaks']): UpstreamFinding | undefined =>
  upstreamWith(facts, ({ speaks }) => speaks === what);

/** Whose it is, and for which names. */
function described({ issuer, names, notAfter }: PeerCertificate, time: number): string {
  const whose = issuer === '' ? 'an unnamed authority' : issuer;
  const day = notAfter?.slice(0, 10);
  const isOver = notAfter !== null && Date.parse(notAfter) < time;
  const verb = isOver ? 'it expired on' : 'until';
  const until = day === undefined ? '' : `, ${verb} ${day}`;
  const forNames = names.length === 0 ? '' : ` for ${names.slice(0, 3).join(', ')}`;
  return `signed by ${whose}${forNames}${until}`;
}

const UNVERIFIED =
  'Its certificate is not verified then: do that only for a service on this machine or in your own network.';

/** Of one that makes no handshake for the name that Caddy would ask for. */
const NAMED =
  ' It answers no handshake for that name: add tls_server_name to its transport, with a name that it knows.';

export const SPEAK: readonly Row[] = [
  {
    code: 'SPEAKS_TLS',
    test(facts) {
      const upstream = speaking(facts, 'tls');
      if (!upstream) return null;
      const { address, certificate } = upstream;
      const isTrusted = certificate?.trusted === true;
      const change: Change = { address, scheme: 'https', ...(!isTrusted && { unverified: true }) };
      const trust = isTrusted ? '' : ` ${UNVERIFIED}`;
      const shown = certificate ? ` Its certificate is ${described(certificate, facts.time)}.` : '';
      return {
        words: `${address} speaks HTTPS, and Caddy speaks plain HTTP to it.${shown}`,
        cure: `Use https://${address} as the upstream.${certificate ? trust : NAMED}`,
        // Without a handshake, nobody knows whether the change would do.
        ...(certificate && { change }),
        isDoubtful: isSpared(facts, upstream),
      };
    },
  },
  {
    code: 'SPEAKS_PLAIN',
    test(facts) {
      const upstream = speaking(facts, 'plain');
      if (!upstream) return null;
      const { address, wanted } = upstream;
      return {
        words: `${address} speaks plain HTTP, and Caddy speaks ${wanted === 'h2c' ? 'HTTP/2' : 'HTTPS'} to it.`,
        cure: `Use http://${address} as the upstream.`,
        change: { address, scheme: 'http' },
        isDoubtful: isSpared(facts, upstream),
      };
    },
  },
  {
    code: 'UPSTREAM_UNTRUSTED',
    test(facts) {
      const failed = speaking(facts, 'handshake');
      if (failed) {
        return {
          words: `The TLS handshake with ${failed.address} fails${facts.asked?.error ? `: ${facts.asked.error}` : ''}.`,
          isDoubtful: true,
        };
      }
      const upstream = upstreamWith(
        facts,
        ({ wanted, speaks, certificate }) =>
          wanted === 'https' && speaks === 'http' && certificate?.trusted !== true,
      );
      if (!upstream || !isCaddysError(facts)) return null;
      const { address, certificate } = upstream;
      const shown = certificate ? `: it is ${described(certificate, facts.time)}` : '';
      return {
        words: `Caddy does not trust the certificate of ${address}${shown}.`,
        cure: `Let Caddy do without verification. ${UNVERIFIED}`,
        change: { address, unverified: true },
        isDoubtful: !/x509|certificate|tls:/i.test(facts.asked?.error ?? ''),
      };
    },
  },
  {
    code: 'NOT_HTTP',
    test(facts) {
      const upstream = speaking(facts, 'other');
      if (!upstream) return null;
      const { address, banner } = upstream;
      const service = banner === null ? null : serviceOf(banner);
      const what = service === null ? 'something that is not HTTP' : service;
      const quote = banner === null ? '' : ` It says “${banner}”.`;
      return {
        words: `${address} speaks ${what}.${quote}`,
        isDoubtful: isSpared(facts, upstream),
      };
    },
  },
  {
    code: 'SPEAKS_H2',
    test(facts) {
      const upstream = speaking(facts, 'h2');
      if (!upstream) return null;
      const { address } = upstream;
      return {
        words: `${address} speaks HTTP/2 without TLS, and nothing else.`,
        cure: `Use h2c://${address} as the upstream.`,
        change: { address, scheme: 'h2c' },
        isDoubtful: isSpared(facts, upstream),
      };
    },
  },
  {
    code: 'CLOSES',
    test(facts) {
      const upstream = speaking(facts, 'closes');
      return upstream
        ? {
            words: `${upstream.address} closes the connection without an answer.`,
            isDoubtful: isSpared(facts, upstream),
          }
        : null;
    },
  },
  {
    code: 'HANGS',
    test(facts) {
      const upstream = speaking(facts, 'hangs');
      return upstream
        ? {
            words: `${upstream.address} takes connections, but did not answer within 5 s, twice.`,
            isDoubtful: isSpared(facts, upstream),
          }
        : null;
    },
  },
];
