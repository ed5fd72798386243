/** Why no public certificate can come for a name, and what would work instead. Pure. */
import { type Static, t } from 'elysia';
import { isInternalName, isPrivateAddress } from '../../../shared/internal-names.ts';
import type { Authority } from '../../../shared/wire-state.ts';
import { explainAcme } from './acme-words.ts';

export const NullableAdvice = t.Union(
  [
    t.Object({
      code: t.Union([
        t.Literal('INTERNAL_NAME'),
        t.Literal('PORT'),
        t.Literal('WILDCARD'),
        t.Literal('PRIVATE_ADDRESS'),
        t.Literal('ACME'),
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
    const { message, ways } = explainAcme(refusal);
    return { code: 'ACME', message, ways: [...ways] };
  }
  if (authority === 'public' && !certified && !dns && ports.http !== 80 && ports.https !== 443) {
    const message = `Public authorities check port 80 or 443, and Caddy listens on ${ports.http} and ${ports.https}. It gets a certificate only if those ports are forwarded to it.`;
    return { code: 'PORT', message, ways: ['dns', 'internal', 'http'] };
  }
  return null;
}
