/** A certificate that the hub keeps. Pure. */
import { digestOfChain } from '../../shared/caddyfile/kept-certificates.ts';
import { memoize } from '../../shared/memoize.ts';
import { chainFacts } from './pem.ts';

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

export const digestOf = memoize(({ chain }: Certificate): string => digestOfChain(chain));

/** The order in which proxies get them: of two for one name, the one that ends later counts. */
export const byEnd = (a: Certificate, b: Certificate): number =>
  chainFacts(b.chain).notAfter.getTime() - chainFacts(a.chain).notAfter.getTime() || a.id - b.id;
