/** An ACME authority's refusals in plain words. Pure. */

/** What works without the authority's consent: Caddy's own authority, the DNS challenge, plain HTTP. */
export type Way = 'internal' | 'dns' | 'http';

export type Refusal = { message: string; ways: readonly Way[] };

/** The first that matches counts. The codes are those of RFC 8555, 6.7; the rest is what authorities write. */
const REFUSALS: readonly (Refusal & { pattern: RegExp })[] = [
  {
    pattern: /rateLimited|too many (?:certificates|failed|new|currently|registrations)/i,
    message:
      'The authority signs no more certificates for this name for now, because it was asked too often. Caddy tries again by itself.',
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
      'The name points to a private address, which the authority cannot reach. The DNS challenge works without that.',
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
      'The authority was refused at the name’s port 80 or 443. Let the router forward both ports to this machine.',
    ways: ['dns', 'internal'],
  },
  {
    pattern: /error:connection\b|timeout|timed out|no route to host/i,
    message:
      'The authority got no answer at the name’s port 80 or 443. Let firewall and router pass both ports to this machine.',
    ways: ['dns', 'internal'],
  },
  {
    pattern: /error:(?:unauthorized|incorrectResponse|tls)\b|invalid response/i,
    message:
      'Another server answered the authority in place of this Caddy. Check where the DNS record of the name points to.',
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
