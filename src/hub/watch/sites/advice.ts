/** Why no public certificate can come for a name, and what would work instead. Pure. */
import { type Static, t } from 'elysia';
import { isInternalName, isPrivateAddress } from '../../../shared/internal-names.ts';
import type { Authority } from '../../../shared/wire/sites.ts';
import { type Endpoint, keyOfEndpoint } from '../../model/endpoints.ts';
import { listed } from '../problem.ts';

export const NullableAdvice = t.Union(
  [
    t.Object({
      code: t.Union([
        t.Literal('INTERNAL_NAME'),
        t.Literal('PORT'),
        t.Literal('WILDCARD'),
        t.Literal('PRIVATE_ADDRESS'),
        t.Literal('ACME'),
        t.Literal('OFFLINE'),
        t.Literal('MIRRORED'),
      ]),
      message: t.String({ description: 'for a person' }),
      ways: t.Array(t.Union([t.Literal('internal'), t.Literal('dns'), t.Literal('http')]), {
        description:
          'what would work, best first: Caddy’s own authority, the DNS challenge, plain HTTP',
      }),
    }),
    t.Null(),
  ],
  { description: 'why there can be no public certificate; null if there is no known reason' },
);
export type Advice = NonNullable<Static<typeof NullableAdvice>>;

export type AdviceFacts = {
  /** Lower case, no port, no brackets. */
  name: string;
  /** Null if Caddy does not get the certificate itself. */
  authority: Authority | null;
  /** Whether Caddy uses the DNS challenge. */
  dns: boolean;
  /** Whether it has a certificate now. */
  certified: boolean;
  /** The ports of HTTP and HTTPS. */
  ports: { http: number; https: number };
  /** What the authority said when it last refused; null if it did not. */
  refusal: string | null;
};

/** Null if nothing speaks against a certificate, or nobody asks a public authority for one. */
export function adviceOf(facts: AdviceFacts): Advice | null {
  const { name, authority, dns, certified, ports, refusal } = facts;
  if (authority === 'public' && !certified) {
    if (isInternalName(name)) {
      const message = `No public authority signs certificates for ${name}, a name for private networks.`;
      return { code: 'INTERNAL_NAME', message, ways: ['internal', 'http'] };
    }
    if (isPrivateAddress(name)) {
      const message = `No public authority signs certificates for ${name}, a private address.`;
      return { code: 'PRIVATE_ADDRESS', message, ways: ['internal', 'http'] };
    }
    if (name.startsWith('*.') && !dns) {
      const message = `A certificate for ${name} needs the DNS challenge, and Caddy is not set up for it.`;
      return { code: 'WILDCARD', message, ways: ['dns', 'internal'] };
    }
  }
  if (refusal !== null && authority !== null && authority !== 'internal') {
    const { message, ways, isUnreached } = explainAcme(refusal);
    return { code: isUnreached ? 'OFFLINE' : 'ACME', message, ways: [...ways] };
  }
  if (authority === 'public' && !certified && !dns && ports.http !== 80 && ports.https !== 443) {
    const message = `Public authorities check port 80 or 443, and Caddy listens on ${ports.http} and ${ports.https}. It gets a certificate only if those ports are forwarded to it.`;
    return { code: 'PORT', message, ways: ['dns', 'internal', 'http'] };
  }
  return null;
}

/** What counts of an address on one of several agents. */
export type MirrorFacts = Endpoint & {
  agent: string;
  authority: Authority | null;
  certified: boolean;
  checkedAt: string | null;
  advice: Advice | null;
};

/**
 * The authority looks for its proof at the address that a name points to. Of several proxies behind one
 * address, such as a keepalived pair, it reaches only one.
 * @returns a function that gives the advice for one of the addresses
 */
export function mirrorAdvice(all: readonly MirrorFacts[]): (one: MirrorFacts) => Advice | null {
  const certified = all.filter((one) => one.certified && isVerified(one));
  const having = Map.groupBy(certified, keyOfEndpoint);
  return (one) => {
    const others = having.get(keyOfEndpoint(one));
    const lacks = !one.certified && one.checkedAt !== null && isVerified(one);
    return others && lacks ? mirrored(one, others) : one.advice;
  };
}

/** Whether an authority looks for a proof. */
const isVerified = ({ authority }: MirrorFacts): boolean =>
  authority === 'public' || authority === 'other';

function mirrored({ name, advice }: MirrorFacts, others: readonly MirrorFacts[]): Advice {
  const verb = others.length === 1 ? 'has' : 'have';
  const words = advice === null ? '' : `${advice.message} `;
  const message = `${words}${listed(others.map(({ agent }) => agent))} ${verb} a certificate for ${name}: if these proxies share an address, the authority’s check only reaches one of them. Use the DNS challenge, or a folder for certificates that the agents share (PROXY_STORAGE).`;
  return { code: 'MIRRORED', message, ways: ['dns'] };
}

/** What works without the authority's consent: Caddy's own authority, the DNS challenge, plain HTTP. */
type Way = 'internal' | 'dns' | 'http';

/** `isUnreached`: nobody refused, as the authority could not be asked. */
type Refusal = { message: string; ways: readonly Way[]; isUnreached?: true };

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
    isUnreached: true,
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
  if (known) return known;
  const quoted = words.length > QUOTED ? `${words.slice(0, QUOTED)}…` : words;
  return { message: `The authority refused: ${quoted}`, ways: ['dns', 'internal'] };
}
