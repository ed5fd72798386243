/** The changes of certificates that the hub keeps. Pure, but for the sealing that callers hand in. */
import { portOptions } from '../../shared/caddyfile/globals.ts';
import { Failure } from '../../shared/failure.ts';
import { memoize } from '../../shared/memoize.ts';
import { assertName } from './agent.ts';
import { type Certificate, servedFor } from './certificate.ts';
import type { Change, Plan } from './changes.ts';
import { endpointsUnder } from './endpoints.ts';
import { chainFacts } from './pem.ts';
import type { SiteSet, Vhost } from './vhost.ts';

/** What it is, and how the hub gets it; made for an id, as it is sealed for that. */
type Content = Pick<Certificate, 'chain' | 'key' | 'provider' | 'spec'>;

/** What is stored of a pair, and of the order that brought it, once the id is known. */
export type ContentFor = (id: number) => Content;

/** Passes if it is still as the client last saw it. @throws Failure PRECONDITION_FAILED */
export type CertificatePrecondition = (certificate: Certificate) => void;

/** @param of its id, also as text, or its name @throws Failure NOT_FOUND */
export function findCertificate({ certificates }: SiteSet, of: number | string): Certificate {
  const found = certificates.find(({ id, name }) => `${id}` === `${of}` || name === of);
  if (found) return found;
  throw new Failure('NOT_FOUND', 'There is no such kept certificate.');
}

/** The sites over TLS that it is the certificate for, of all in a stored set: switched on or not. */
export const sitesWith = ({ id }: Certificate, set: SiteSet): readonly Vhost[] =>
  sitesByCertificate(set).get(id) ?? [];

/** By the ids of the certificates: a list asks for each of them. */
const sitesByCertificate = memoize((set: SiteSet): ReadonlyMap<number, readonly Vhost[]> => {
  const found = new Map<number, Vhost[]>();
  const namesOf = secureNamesIn(set);
  for (const vhost of set.vhosts) {
    const ids = namesOf(vhost).flatMap((name) => servedFor(name, set.certificates)?.id ?? []);
    for (const id of new Set(ids)) {
      const known = found.get(id);
      if (known) known.push(vhost);
      else found.set(id, [vhost]);
    }
  }
  return found;
});

/** Those of them that no other certificate in the set is for. */
function sitesLosing({ id }: Certificate, set: SiteSet): Vhost[] {
  const others = set.certificates.filter((one) => one.id !== id);
  const namesOf = secureNamesIn(set);
  const isLost = (name: string) =>
    servedFor(name, set.certificates)?.id === id && !servedFor(name, others);
  return set.vhosts.filter((vhost) => namesOf(vhost).some(isLost));
}

/** The host names of a vhost that are served over TLS. */
function secureNamesIn({ preamble }: SiteSet): (vhost: Vhost) => string[] {
  const { http } = portOptions(preamble);
  const endpointsOf = endpointsUnder(preamble);
  return (vhost) => endpointsOf(vhost).flatMap(({ name, port }) => (port === http ? [] : name));
}

/** @throws Failure INVALID_REQUEST, CERTIFICATE_TAKEN */
export const createCertificateChange =
  (name: string, contentFor: ContentFor): Change<Certificate> =>
  (set, time) => {
    const id = set.nextCertificateId;
    const made = { id, name, ...contentFor(id), createdAt: time, updatedAt: time };
    return stored(set, null, made);
  };

/** @throws Failure NOT_FOUND, PRECONDITION_FAILED, INVALID_REQUEST, CERTIFICATE_TAKEN */
export const updateCertificateChange =
  (
    id: number,
    { name, contentFor }: { name?: string | undefined; contentFor?: ContentFor | undefined },
    expected?: CertificatePrecondition,
  ): Change<Certificate> =>
  (set, time) => {
    const before = findCertificate(set, id);
    expected?.(before);
    const after = {
      ...before,
      ...contentFor?.(id),
      name: name ?? before.name,
      updatedAt: time,
    };
    return isSameCertificate(before, after) ? { done: before } : stored(set, before, after);
  };

/**
 * @param force whether sites may lose it
 * @throws Failure NOT_FOUND, PRECONDITION_FAILED, CERTIFICATE_IN_USE
 */
export const deleteCertificateChange =
  (id: number, force: boolean, expected?: CertificatePrecondition): Change<{ success: true }> =>
  (set) => {
    const before = findCertificate(set, id);
    expected?.(before);
    const users = force ? [] : sitesLosing(before, set);
    if (users.length > 0) {
      throw new Failure('CERTIFICATE_IN_USE', 'Sites are served with this certificate.', {
        detail: `Used by ${users.map(({ domain }) => domain).join(', ')}.`,
        hint: 'Without it, Caddy gets certificates for them itself where it can. Delete it anyway with force=true.',
      });
    }
    const certificates = set.certificates.filter((one) => one !== before);
    return {
      next: { ...set, certificates },
      steps: [{ kind: 'certificate', before, after: null, vhosts: [] }],
      result: { success: true },
    };
  };

/** Makes it what it was, or brings it back. @throws Failure REVERT_CONFLICT, CERTIFICATE_TAKEN */
export const restoreCertificateChange =
  (old: Certificate): Change<Certificate> =>
  (set, time) => {
    if (chainFacts(old).notAfter <= time) {
      throw new Failure(
        'REVERT_CONFLICT',
        'The certificate that this would bring back has expired.',
      );
    }
    const before = set.certificates.find(({ id }) => id === old.id) ?? null;
    return stored(set, before, { ...old, updatedAt: time });
  };

/** Whether two versions are the same; the key belongs to the chain, and is never sealed the same twice. */
export const isSameCertificate = (one: Certificate, other: Certificate): boolean =>
  one.name === other.name && one.chain === other.chain && one.spec === other.spec;

/**
 * Passes if a certificate can have a name. @param but the one that has it now
 * @throws Failure INVALID_REQUEST, CERTIFICATE_TAKEN
 */
export function assertNameFree(name: string, { certificates }: SiteSet, but?: number): void {
  assertName(name);
  const at = { field: 'name' };
  if (/^\d+$/.test(name)) {
    const message =
      'A name needs a letter or a hyphen: digits alone are the number of a certificate.';
    throw new Failure('INVALID_REQUEST', message, { at });
  }
  if (!certificates.some((one) => one.name === name && one.id !== but)) return;
  const message = `There is already a kept certificate "${name}".`;
  throw new Failure('CERTIFICATE_TAKEN', message, { at });
}

/** The set with one version in place of the other. @throws Failure INVALID_REQUEST, CERTIFICATE_TAKEN */
function stored(set: SiteSet, before: Certificate | null, after: Certificate): Plan<Certificate> {
  assertNameFree(after.name, set, after.id);
  const others = set.certificates.filter((one) => one !== before);
  return {
    next: {
      ...set,
      certificates: [...others, after].toSorted((a, b) => a.id - b.id),
      nextCertificateId: Math.max(set.nextCertificateId, after.id + 1),
    },
    steps: [{ kind: 'certificate', before, after, vhosts: [] }],
    result: after,
  };
}
