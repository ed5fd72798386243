/** What a field of a channel's target may hold, and how much of it is shown. Pure. */
import { normalizeEmail } from '../../auth/accounts/sign-up.ts';

type Value = string | number;

export type Field = Readonly<{
  isOptional?: true;
  /** Whether it is sent to the place that the other fields name, and may not get to another one. */
  isCredential?: true;
  is(value: Value): boolean;
  /** Completes "must be …". */
  must: string;
  /** What is shown of it. */
  mask(value: Value): Value;
}>;

/** Stands for what is not shown; no value contains it. */
export const MASK = '***';

const shown = (value: Value): Value => value;
const hidden = (): string => MASK;

/** One line of text, which cannot begin another header or command. */
const isLine = (value: Value, longest: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longest && !/\p{Cc}/u.test(value);

const MAX_URL = 2_000;

function isUrl(value: Value, withQuery: boolean): boolean {
  // The parser would drop spaces and line breaks without a word.
  if (!isLine(value, MAX_URL) || /\s/.test(value)) return false;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '') return false;
  return url.username === '' && url.password === '' && (withQuery || url.search === '');
}

/** Where it leads may be a secret, as with most webhooks; only scheme and host are shown. */
const url = (withQuery: boolean): Field => ({
  is: (value) => isUrl(value, withQuery),
  must: `an http:// or https:// address without user name, password${withQuery ? '' : ', query'} or fragment`,
  mask: (value) => `${new URL(String(value)).origin}/${MASK}`,
});

export const webhookUrl = url(true);
export const serverUrl = url(false);

/** As servers take them in a header. */
export const token: Field = {
  isCredential: true,
  is: (value) => isLine(value, 500) && /^[!-~]+$/.test(value),
  must: 'a token: ASCII characters without spaces',
  mask: hidden,
};

/** As `ntfy` has it. Whoever knows a topic without a token can read it. */
export const topic: Field = {
  isCredential: true,
  is: (value) => /^[\w-]{1,64}$/.test(String(value)),
  must: '1 to 64 letters, digits, hyphens and underscores',
  mask: hidden,
};

const SHORTEST_SECRET = 16;

export const secret: Field = {
  is: (value) => isLine(value, 500) && value.length >= SHORTEST_SECRET,
  must: `${SHORTEST_SECRET} to 500 characters`,
  mask: hidden,
};

export const email: Field = {
  is: (value) => isLine(value, 254) && normalizeEmail(value) !== null,
  must: 'an email address, without a name',
  mask: (value) => String(value).replace(/(?<=^.).*(?=@)/u, MASK),
};

export const userName: Field = {
  isOptional: true,
  isCredential: true,
  is: (value) => isLine(value, 254),
  must: 'one line of at most 254 characters',
  mask: (value) => (String(value).includes('@') ? email.mask(value) : MASK),
};

export const password: Field = {
  isOptional: true,
  isCredential: true,
  is: (value) => isLine(value, 500),
  must: 'one line of at most 500 characters',
  mask: hidden,
};

export const host: Field = {
  is: (value) => isLine(value, 253) && /^[a-z0-9]([\w.-]*[a-z0-9])?$|^[0-9a-f:]+$/i.test(value),
  must: 'a host name or an IP address',
  mask: shown,
};

export const port: Field = {
  isOptional: true,
  is: (value) => typeof value === 'number' && value >= 1 && value <= 65_535,
  must: 'a port',
  mask: shown,
};

export const security: Field = { isOptional: true, is: () => true, must: '', mask: shown };
