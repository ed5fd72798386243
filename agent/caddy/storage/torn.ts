/** Whether what Caddy stores as certificate, key and JSON is whole. Pure. */
import { createPrivateKey, X509Certificate } from 'node:crypto';

/** What belongs together, by extension; absent if there is no such file. */
export type Parts = Partial<Record<'crt' | 'key' | 'json', Buffer>>;

/** Whether a part cannot be read to its end, or the key is not that of the certificate. */
export function isTorn({ crt, key, json }: Parts): boolean {
  try {
    const chain = crt && readChain(crt.toString('latin1'));
    const privateKey = key && createPrivateKey(key);
    if (json) JSON.parse(json.toString());
    return chain?.[0] !== undefined && privateKey !== undefined
      ? !chain[0].checkPrivateKey(privateKey)
      : false;
  } catch {
    return true;
  }
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates of a PEM file, the leaf first. @throws if there is none, or one is cut */
function readChain(pem: string): X509Certificate[] {
  const [before, ...blocks] = pem.split(BEGIN);
  if (before?.trim() !== '' || blocks.length === 0) throw new Error('no certificate');
  return blocks.map((block) => {
    if (!block.trimEnd().endsWith(END)) throw new Error('a certificate is cut');
    return new X509Certificate(BEGIN + block);
  });
}
