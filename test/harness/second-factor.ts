/** Accounts with a second factor, and browsers that sign in to them. */
import { ask } from './stack.ts';

/** `oathtool` of Debian: another implementation of RFC 6238 than the hub's. */
export const OATHTOOL = Bun.which('oathtool');

/** The code of a secret in base32, so many steps of 30 s from `at`. */
export function codeOf(secret: string, steps = 0, at = Date.now()): string {
  const now = `${new Date(at + steps * 30_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const { stdout } = Bun.spawnSync(['oathtool', '--totp', '--base32', '--now', now, secret]);
  return stdout.toString().trim();
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
