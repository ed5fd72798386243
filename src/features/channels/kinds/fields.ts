/** What a field of a channel's target may hold, how much of it is shown, and how a form asks for it. */
import { type TSchema, t } from 'elysia';
import { normalizeEmail } from '../../../hub/auth/accounts/emails.ts';

export type Value = string | number;

/** What is checked and shown of a value, by the `format` of its field. */
type Format = Readonly<{
  is(value: Value): boolean;
  /** Completes "must be …". */
  must: string;
  /** What is shown of it; without, all of it. */
  mask?(value: Value): Value;
  /** What that is, for the documentation. */
  shown?: string;
  /** Whether it is a secret for the place that the other fields name, and may go to no other. */
  isCredential?: true;
}>;

/** Stands for what is not shown; no value contains it. */
export const MASK = '***';

const hidden = { mask: () => MASK, shown: MASK };

/** One line of text, which cannot begin another header or command. */
const isLine = (value: Value, longest: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longest && !/\p{Cc}/u.test(value);

const MAX_URL = 2_000;

function isUrl(value: Value, withQuery: boolean): boolean {
  // The parser would silently drop spaces and line breaks.
  if (!isLine(value, MAX_URL) || /\s/.test(value)) return false;
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '') return false;
  return url.username === '' && url.password === '' && (withQuery || url.search === '');
}

/** Where it leads may be a secret, as with most webhooks. */
const url = (withQuery: boolean): Format => ({
  is: (value) => isUrl(value, withQuery),
  must: `an http:// or https:// address without user name, password${withQuery ? '' : ', query'} or fragment`,
  mask: (value) => `${new URL(String(value)).origin}/${MASK}`,
  shown: `scheme and host, then ${MASK}`,
});

const maskEmail = (value: Value) => String(value).replace(/(?<=^.).*(?=@)/u, MASK);

const SHORTEST_SECRET = 16;

const FORMATS = {
  'webhook-url': url(true),
  'server-url': url(false),
  /** As servers take them in a header. */
  token: {
    is: (value) => isLine(value, 500) && /^[!-~]+$/.test(value),
    must: 'a token: ASCII characters without spaces',
    isCredential: true,
    ...hidden,
  },
  /** As `ntfy` has it. Whoever knows a topic without a token can read it. */
  topic: {
    is: (value) => /^[\w-]{1,64}$/.test(String(value)),
    must: '1 to 64 letters, digits, hyphens and underscores',
    isCredential: true,
    ...hidden,
  },
  /** As Telegram makes them; part of a path. */
  'bot-token': {
    is: (value) => /^\d{1,20}:[\w-]{1,100}$/.test(String(value)),
    must: 'a number, a colon, and letters, digits, hyphens and underscores',
    isCredential: true,
    ...hidden,
  },
  chat: {
    is: (value) => /^(-?\d{1,20}|@[a-z]\w{3,31})$/i.test(String(value)),
    must: 'the ID of a chat, or a name such as @example',
    ...hidden,
  },
  'apprise-urls': {
    is: (value) => isLine(value, MAX_URL) && value.includes('://'),
    must: `addresses such as discord://…, of at most ${MAX_URL} characters in all`,
    isCredential: true,
    ...hidden,
  },
  secret: {
    is: (value) => isLine(value, 500) && value.length >= SHORTEST_SECRET,
    must: `${SHORTEST_SECRET} to 500 characters`,
    ...hidden,
  },
  email: {
    is: (value) => isLine(value, 254) && normalizeEmail(value) !== null,
    must: 'an email address, without a name',
    mask: maskEmail,
    shown: `a${MASK}@example.org`,
  },
  'user-name': {
    is: (value) => isLine(value, 254),
    must: 'one line of at most 254 characters',
    mask: (value) => (String(value).includes('@') ? maskEmail(value) : MASK),
    shown: `a${MASK}@example.org, or ${MASK}`,
    isCredential: true,
  },
  password: {
    is: (value) => isLine(value, 500),
    must: 'one line of at most 500 characters',
    isCredential: true,
    ...hidden,
  },
  host: {
    is: (value) => isLine(value, 253) && /^[a-z0-9]([\w.-]*[a-z0-9])?$|^[0-9a-f:]+$/i.test(value),
    must: 'a host name or an IP address',
  },
  port: {
    is: (value) => typeof value === 'number' && value >= 1 && value <= 65_535,
    must: 'a port',
  },
} as const satisfies Record<string, Format>;

/** For people: the label, help, what an empty field shows, and what a new channel starts with. */
type Words = { title: string; description?: string; examples?: [string]; default?: string };

/** A line of text of a format. Its input shows nothing of what is `writeOnly`; `generated`: the hub can make one. */
export const line = (
  format: Exclude<keyof typeof FORMATS, 'port'>,
  words: Words & { writeOnly?: true; generated?: true },
) => t.String({ format, ...words });

export const portField = (words: Words) =>
  t.Unsafe<number>({ type: 'integer', format: 'port', ...words });

/** One of some texts, each with what the form calls it; the first by default. */
export const choice = <const Name extends string>(
  labels: Readonly<Record<Name, string>>,
  words: Words,
) => t.Unsafe<Name>({ type: 'string', enum: Object.keys(labels), labels, ...words });

/** A choice has none: the schema of the request checks it. */
const ANY: Format = { is: () => true, must: '' };

export const formatOf = ({ format = '' }: TSchema): Format =>
  (FORMATS as Readonly<Record<string, Format>>)[format] ?? ANY;
