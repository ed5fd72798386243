/** Faults before a request arrives: the certificate of the site. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../../../harness/certificate.ts';
import { startRefusingAcme } from '../../../harness/refusing-acme.ts';
import { startMute } from '../services/banners.ts';
import type { Fault } from './fault.ts';

/** The authority that refuses comes first: after one that never answers, Caddy may keep other names waiting. */
export const FRONT: readonly Fault[] = [
  {
    name: 'an authority that refuses',
    cause: 'CERTIFICATE_REFUSED',
    names: /limit of certificates/,
    warned: 'NO_CERTIFICATE',
    hasOperation: false,
    isSilent: true,
    stage: async ({ stops, httpsPort }) => {
      const { directory, stop } = startRefusingAcme();
      stops.add(stop);
      return { ...secure('refused', httpsPort, directory), isSettledBy: 'acme' };
    },
  },
  {
    name: 'an authority that does not answer',
    cause: 'CERTIFICATE_PENDING',
    warned: 'NO_CERTIFICATE',
    hasOperation: false,
    isSilent: true,
    stage: async ({ stops, httpsPort }) => {
      const directory = `http://127.0.0.1:${await startMute(stops)}/directory`;
      return secure('pending', httpsPort, directory);
    },
  },
  {
    name: 'a certificate that has expired',
    cause: 'CERTIFICATE_EXPIRED',
    hasOperation: false,
    isSilent: true,
    stage: async ({ folder, httpsPort }) => {
      const { certificate, key } = await selfSigned(['old.example'], -1);
      const [chain, secret] = [join(folder, 'old.crt'), join(folder, 'old.key')];
      writeFileSync(chain, certificate);
      writeFileSync(secret, key);
      const config = `tls ${chain} ${secret}\nrespond up`;
      return { site: { domain: `old.example:${httpsPort}`, config } };
    },
  },
];

const secure = (name: string, port: number, directory: string) => ({
  site: {
    domain: `${name}.example:${port}`,
    config: `tls {\n\tissuer acme {\n\t\tdir ${directory}\n\t\temail ${name}@example.org\n\t}\n}\nrespond up`,
  },
});
