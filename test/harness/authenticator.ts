/** A stand-in for an authenticator: its signatures are right, whatever else is wrong. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const b64 = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');

/** What a real one would take from the browser. */
export type Said = {
  origin: string;
  rpId: string;
  counter?: number;
  isVerified?: boolean;
  userHandle?: string;
};

const dataOf = (said: Said, more = Buffer.alloc(0)): Buffer => {
  const { rpId, counter = 0, isVerified = true } = said;
  const flags = 0b1 | (isVerified ? 0b100 : 0) | (more.length > 0 ? 0b100_0000 : 0);
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), head, more]);
};
const clientDataOf = (type: string, challenge: string, origin: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

/** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR: a key of ES256. */
function coseOf(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const of = (text: string) =>
    Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')]);
  const head = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]);
  return Buffer.concat([head, of(x), Buffer.from([0x22]), of(y)]);
}

export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credential = randomBytes(16);
  const id = b64(credential);
  const response = <T>(of: T) => ({ id, rawId: id, type: 'public-key' as const, response: of });
  return {
    id,
    register(challenge: string, said: Said) {
      const length = Buffer.from([0, credential.length]);
      const data = dataOf(
        said,
        Buffer.concat([Buffer.alloc(16), length, credential, coseOf(publicKey)]),
      );
      const size = Buffer.from([0x58, data.length]);
      // `{"fmt": "none", "attStmt": {}, "authData": …}` in CBOR.
      const head = Buffer.from('\xa3cfmtdnonegattStmt\xa0hauthData', 'latin1');
      return response({
        clientDataJSON: b64(clientDataOf('webauthn.create', challenge, said.origin)),
        attestationObject: b64(Buffer.concat([head, size, data])),
        transports: ['internal'],
      });
    },
    authenticate(challenge: string, said: Said, type = 'webauthn.get') {
      const data = dataOf(said);
      const client = clientDataOf(type, challenge, said.origin);
      return response({
        clientDataJSON: b64(client),
        authenticatorData: b64(data),
        signature: b64(sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)),
        ...(said.userHandle !== undefined && { userHandle: b64(said.userHandle) }),
      });
    },
  };
}
