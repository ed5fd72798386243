/** A certificate that the hub keeps. Pure. */
import { digestOfChain, keptLine } from '../../shared/caddyfile/kept-certificates.ts';
import { memoize } from '../../shared/memoize.ts';
import { chainFacts, isValidFor } from './pem.ts';

/** As it is stored. Immutable: a replaced one is a new object. */
export type Certificate = Readonly<{
  id: number;
  name: string;
  /** PEM, the leaf first. */
  chain: string;
  /** Sealed as `ofKey` says, in Base64. */
  key: string;
  /** Of DNS; null: it was uploaded. */
  provider: string | null;
  /** The order, sealed as `ofSpec` says, in Base64; null: it was uploaded. */
  spec: string | null;
  createdAt: Date;
  updatedAt: Date;
}>;

/** As what its key and its order are sealed. */
export const ofKey = (id: number): string => `certificates ${id} key`;
export const ofSpec = (id: number): string => `certificates ${id} spec`;

const digestOf = memoize(({ chain }: Certificate): string => digestOfChain(chain));

/**
 * The order in which proxies get them: of two for one name, the one that ends later counts, then one that every
 * device accepts, then the newer one.
 */
function byEnd(a: Certificate, b: Certificate): number {
  const [one, other] = [chainFacts(a), chainFacts(b)];
  return (
    other.notAfter.getTime() - one.notAfter.getTime() ||
    Number(one.warning !== null) - Number(other.warning !== null) ||
    b.id - a.id
  );
}

/** The one that proxies serve for a host: one that names it before a wildcard, then the one that ends last. */
export function servedFor(host: string, all: readonly Certificate[]): Certificate | undefined {
  const found = all.filter((one) => isValidFor(chainFacts(one).names, host));
  const exact = found.filter((one) => chainFacts(one).names.includes(host));
  return (exact.length > 0 ? exact : found).toSorted(byEnd)[0];
}

/** The comments that name them in a proxyfile. */
export const keptLines = (all: readonly Certificate[]): string[] =>
  all.toSorted(byEnd).map((one) => {
    const { names } = chainFacts(one);
    return keptLine({ name: one.name, names, digest: digestOf(one) });
  });
