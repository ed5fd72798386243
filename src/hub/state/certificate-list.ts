/** All certificates, and the names that have none. */
import { type Static, t } from 'elysia';
import { portOptions } from '../../shared/caddyfile/preamble.ts';
import { NullableAuthority, SiteError } from '../../shared/wire-state.ts';
import { Timestamp } from '../http/schemas.ts';
import { type Advice, adviceOf, NullableAdvice } from './advice.ts';
import {
  type CertificatesDeps,
  daysLeft,
  isOverdue,
  isSoon,
  type KnownName,
  readNames,
} from './certificates.ts';

const nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T, of = '') =>
  t.Union([schema, t.Null()], of === '' ? {} : { description: of });

export const CertificateEntry = t.Object(
  {
    id: t.Integer({ description: 'of the vhost' }),
    domain: t.String({ description: 'of the vhost' }),
    name: t.String({ description: 'the host name that the certificate is for' }),
    port: t.Integer(),
    issuer: nullable(t.String(), 'null if there is no certificate, as the next three'),
    notBefore: nullable(Timestamp),
    notAfter: nullable(Timestamp),
    daysLeft: nullable(t.Integer(), 'whole days; negative if it has expired'),
    automated: t.Boolean({ description: 'the proxy obtains and renews it automatically' }),
    authority: NullableAuthority,
    checkedAt: nullable(Timestamp, 'when the agent last asked the proxy for it'),
    problem: nullable(t.String(), 'what needs attention, for a person'),
    advice: NullableAdvice,
    error: nullable(
      t.Omit(SiteError, ['kind']),
      'why the last attempt to get a certificate failed',
    ),
  },
  { title: 'Certificate' },
);
export type CertificateEntry = Static<typeof CertificateEntry>;

/** By vhost, in rendering order. @throws Failure as `readNames` */
export async function listCertificates({
  now,
  ...deps
}: CertificatesDeps & { now: () => Date }): Promise<CertificateEntry[]> {
  const names = await readNames(deps);
  const ports = portOptions(deps.publisher.current().preamble);
  const time = now().getTime();
  return names
    .filter(({ endpoint }) => endpoint.name !== '')
    .map((known) => entryOf(known, ports, time));
}

function entryOf(
  { vhost, endpoint, site }: KnownName,
  ports: ReturnType<typeof portOptions>,
  time: number,
): CertificateEntry {
  const { certificate, automated, authority, checkedAt, error = null } = site;
  const advice = adviceOf({
    name: endpoint.name,
    authority,
    dns: site.dns ?? false,
    certified: certificate !== null,
    ports,
    refusal: error?.standing ? error.message : null,
  });
  return {
    id: vhost.id,
    domain: vhost.domain,
    ...endpoint,
    issuer: certificate?.issuer ?? null,
    notBefore: certificate?.notBefore ?? null,
    notAfter: certificate?.notAfter ?? null,
    daysLeft: certificate && daysLeft(new Date(certificate.notAfter), time),
    automated,
    authority: authority ?? null,
    checkedAt,
    problem: problemOf(site, advice, time),
    advice,
    error,
  };
}

function problemOf(
  { certificate, checkedAt, reason, automated }: KnownName['site'],
  advice: Advice | null,
  time: number,
): string | null {
  // Without a handshake there is nothing wrong yet: it may be due, or issued on demand.
  if (!certificate) return advice?.message ?? (checkedAt && reason);
  const [notBefore, notAfter] = [new Date(certificate.notBefore), new Date(certificate.notAfter)];
  if (notAfter.getTime() < time) return 'It has expired.';
  if (advice) return advice.message;
  if (!isSoon(notAfter, time) || !isOverdue({ automated, notBefore, notAfter }, time)) return null;
  return automated ? 'Caddy should have renewed it by now.' : 'It is not renewed automatically.';
}
