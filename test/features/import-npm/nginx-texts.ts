/** Random nginx texts of directives that are translated, and of hostile pieces. */
import type { Wanted } from '../../../src/features/import-npm/npm/nginx/body.ts';
import type { Random } from '../../harness/random.ts';

/** A word each, apart from blanks. */
const PIECES = [
  ...String.raw`" ' ${'`'} \ \\ { } {} ; # {$HOME} {$X:} {env.SECRET} {host} {upstream} $1 $ $host`.split(
    ' ',
  ),
  ...String.raw`$server_port $args <<X X import * @a / ( ) [ ] \} \{ (?=a) (?i) \1 {2} {1001}`.split(
    ' ',
  ),
  ...String.raw`{900}{900} ++ | ^ .* [a-\d] [z-a] [[:alpha:]] \x41 \p{L} a é %2F ? & = + -`.split(
    ' ',
  ),
  ...'> ! ~ , : handle (snippet) {args[0]}'.split(' '),
  ' ',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\ud800',
  '$'.concat('{host}'),
  '\n}\nhttp://evil.test {\n',
  '"\n}\nhttp://evil.test {\n',
  '`\n}\n',
];

const PATHS = [
  '/',
  '/api',
  '/api/',
  '/Api',
  '/strip/',
  '/a b',
  '/x/y/',
  '/.well-known/x',
  '/ü',
] as const;
const TARGETS = [
  'http://10.0.0.6:8000',
  'http://10.0.0.6:8000/v2/',
  'https://nas.lan',
  '$forward_scheme://$server:$port',
  '$forward_scheme://$server:$port$request_uri',
  'http://10.0.0.6:8000$request_uri',
  'http://[fd00::5]:80',
] as const;
const WORDS = [
  'text',
  '"two words"',
  '\'{"a":"$host"}\'',
  '$scheme://$host$request_uri',
  '/path',
  '$uri?$args',
  '$remote_addr-$http_user_agent',
] as const;

/** What a host may be made of. @param isHostile whether there are pieces in it that break words */
export function randomWanted(random: Random, isHostile = true): Wanted {
  const { below, pick } = random;
  /** Now and then with a piece anywhere. */
  const spoilt = (text: string): string => {
    if (!isHostile || below(12) > 0) return text;
    const at = below(text.length + 1);
    return `${text.slice(0, at)}${PIECES[below(PIECES.length)]}${text.slice(at)}`;
  };
  const word = () => spoilt(pick(WORDS));
  const rule = (): string =>
    pick<() => string>([
      () => `return ${pick(['200', '301', '302', '403', '410', '503'])} ${word()};`,
      () => `return ${pick(['404', '204', '301', '444'])};`,
      () => `rewrite ${spoilt(`^${pick(PATHS)}(.*)$`)} ${spoilt(pick(['/new/$1', '/$1']))} break;`,
    ])();
  const header = (): string =>
    pick<() => string>([
      () => `add_header ${spoilt('X-A')} ${word()} always;`,
      () => `proxy_set_header ${spoilt(pick(['X-Real-IP', 'Connection', 'X-B']))} ${word()};`,
      () =>
        `proxy_set_header ${spoilt('Host')} ${spoilt(pick(['$host', '$http_host', 'a.test', '$proxy_host']))};`,
      () => `proxy_hide_header ${spoilt('Server')};`,
      () => `client_max_body_size ${spoilt(pick(['0', '50M', '1g', '10']))};`,
      () => `${pick(['proxy_buffering', 'gzip'])} off;`,
      () => `default_type ${spoilt('application/json')};`,
      () =>
        `${pick(['allow', 'deny'])} ${spoilt(pick(['all', '192.168.0.0/16', 'fd00::/8', '10.0.0.1']))};`,
      () => '# a comment } with { braces',
    ])();
  const content = (): string =>
    Array.from({ length: below(4) }, () => spoilt(below(2) ? header() : rule())).join('\n  ');
  const place = (): string => {
    return `${pick(['', '', '= ', '^~ '])}${spoilt(pick(PATHS))}`;
  };
  const location = (): string =>
    `location ${place()} {\n  ${content()}\n  ${below(3) ? `proxy_pass ${spoilt(pick(TARGETS))};` : ''}\n}`;
  const some = <T>(make: () => T): T[] => Array.from({ length: below(4) }, make);
  return {
    rest: pick([
      { upstream: '10.0.0.5:8080' },
      { upstream: 'https://10.0.0.5:8443' },
      { lines: ['redir https://example.com{uri} 301'] },
    ]),
    locations: some(() => ({
      path: place(),
      scheme: spoilt(pick(['http', 'https'])),
      host: spoilt(pick(['10.0.0.6', 'jellyfin/', '10.0.0.6/v2/', 'nas.lan'])),
      port: 8000,
      forwardPath: spoilt(pick(['', '/target/'])),
      advanced: content(),
    })).slice(0, below(4)),
    advanced: [...some(header), ...some(location), ...some(rule)].map(spoilt).join('\n'),
    stripsAuthorization: below(4) === 0,
    hasAccessList: below(4) === 0,
  };
}
