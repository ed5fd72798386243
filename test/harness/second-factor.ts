/** Accounts with a second factor, and browsers that sign in to them. */
import { createHmac } from 'node:crypto';
import { ask } from './stack.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_SECONDS = 30;

/** The bytes of a secret in base32, RFC 4648. */
function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((one) => BASE32.indexOf(one).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/**
 * The code of a secret in base32, so many steps of 30 s from `at`: RFC 6238 with SHA-1 and six digits,
 * written here so that the hub's is compared with another one.
 */
export function codeOf(secret: string, steps = 0, at = Date.now()): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 1000 / STEP_SECONDS) + steps));
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that is not right. */
export const wrongOf = (secret: string): string => {
  const right = [-1, 0, 1].map((steps) => codeOf(secret, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
};

export const secretIn = (uri: string): string => new URL(uri).searchParams.get('secret') ?? '';

type Body = { code?: string; token: string; user: { id: string; twoFactorEnabled: boolean } };

/** A browser with its cookies. @param base the hub's API */
export function createBrowser(base: () => string) {
  const jar = new Map<string, string>();
  return {
    jar,
    async call<T = Body>(path: string, json?: unknown, more: Record<string, string> = {}) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { ...(cookie === '' ? {} : { Cookie: cookie }), ...more };
      const answer = await ask<T>(`${base()}${path}`, { json, headers });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      return answer;
    },
    /** The value of the cookie whose name begins so. */
    cookie: (name: string) => [...jar].find(([one]) => one.startsWith(`signalbox_${name}`))?.[1],
  };
}

export type Browser = ReturnType<typeof createBrowser>;
