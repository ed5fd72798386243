/** An ACME authority's refusals in plain words. Pure. */

/** What works without the authority's consent: Caddy's own authority, the DNS challenge, plain HTTP. */
export type Way = 'internal' | 'dns' | 'http';

export type Refusal = { message: string; ways: readonly Way[] };

/** The first that matches counts. The codes are those of RFC 8555, 6.7; the rest is what authorities write. */
const REFUSALS: readonly (Refusal & { pattern: RegExp })[] = [
  {
    pattern: /rateLimited|too many (?:certificates|failed|new|currently|registrations)/i,
    message:
      'The authority has reached its limit of certificates for this name. Caddy tries again later.',
    ways: ['internal'],
  },
  {
    pattern: /\bCAA\b|error:caa\b/i,
    message:
      'The CAA record of the domain does not allow this authority. Add the authority to the record, or remove it.',
    ways: ['internal'],
  },
  {
    pattern: /no solvers available|offered=\[dns-01\]/,
    message: 'The authority only accepts the DNS challenge, and Caddy is not set up for it.',
    ways: ['dns', 'internal'],
  },
  {
    pattern: /rejectedIdentifier|public suffix|top-level domain|ICANN|forbidden by policy/i,
    message: 'The authority does not sign certificates for this name.',
    ways: ['internal', 'http'],
  },
  {
    pattern: /reserved address|private (?:IP )?address/i,
    message:
      'The name points to a private address, and the authority cannot reach it. The DNS challenge works anyway.',
    ways: ['dns', 'internal'],
  },
  {
    pattern:
      /(?:provisioning client|pre-registration|performing request).*(?:\bdial\b|lookup|timeout|deadline|EOF|reset)/i,
    message:
      'Caddy cannot reach the authority. Check whether this machine has access to the Internet and the DNS.',
    ways: ['internal'],
  },
  {
    pattern: /NXDOMAIN|no valid A+ records|no such host|error:dns\b|SERVFAIL/i,
    message:
      'The authority does not find the name in the public DNS. Add an A or AAAA record with the public address of this machine.',
    ways: ['dns', 'internal'],
  },
  {
    pattern: /connection refused/i,
    message:
      'The authority’s connection to port 80 or 443 of the name was refused. Let the router forward both ports to this machine.',
    ways: ['dns', 'internal'],
  },
  {
    pattern: /error:connection\b|timeout|timed out|no route to host/i,
    message:
      'The authority got no answer from port 80 or 443 of the name. Let firewall and router pass both ports to this machine.',
    ways: ['dns', 'internal'],
  },
  {
    pattern: /error:(?:unauthorized|incorrectResponse|tls)\b|invalid response/i,
    message:
      'Another server answered the authority instead of this Caddy. Check the address in the DNS record of the name.',
    ways: ['dns', 'internal'],
  },
];

/** Longest part of an unknown refusal that is quoted, in characters. */
const QUOTED = 200;

/** @param words the authority's and Caddy's own */
export function explainAcme(words: string): Refusal {
  const known = REFUSALS.find(({ pattern }) => pattern.test(words));
  if (known) return { message: known.message, ways: known.ways };
  const quoted = words.length > QUOTED ? `${words.slice(0, QUOTED)}…` : words;
  return { message: `The authority refused: ${quoted}`, ways: ['dns', 'internal'] };
}
