/** nginx text that cannot be translated keeps its site off; what is said of it, and how long that takes. */
import { expect, test } from 'bun:test';
import { type Body, bodyOf } from '../../../src/features/import-npm/npm/nginx/body.ts';
import { parse } from '../../../src/features/import-npm/npm/nginx/parse.ts';
import { commented } from '../../../src/features/import-npm/npm/nginx/words.ts';
import { tokenize } from '../../../src/shared/caddyfile/tokenizer.ts';

const of = (advanced: string, hasAccessList = false): Body =>
  bodyOf({
    rest: { upstream: '10.0.0.5:80' },
    locations: [],
    advanced,
    stripsAuthorization: false,
    hasAccessList,
  });

test.each([
  ['}', 'braces'],
  ['} server { location / { return 200; }', 'braces'],
  ['location /a {', 'braces'],
  ['return 301 "a', 'malformed'],
  ['return 301 "a"b;', 'malformed'],
  ['gzip off', 'malformed'],
  [';', 'malformed'],
  ['a{'.repeat(9), '8 deep'],
  ['gzip off;'.repeat(401), '400 directives'],
  ['auth_basic "x";', '“auth_basic”'],
  ['satisfy any;', '“satisfy”'],
  ['proxy_ssl_verify on;', '“proxy_ssl_verify”'],
  ['proxy_redirect http://a/ /;', '“proxy_redirect”'],
  ['more_set_headers "A: b";', '“more_set_headers”'],
  ['server_name other.example;', '“server_name”'],
  ['proxy_pass http://10.0.0.6:80;', '“proxy_pass”'],
  ['set $server 10.0.0.6;', '“set”'],
  ['if ($host = a) { return 403; }', '“if”'],
  ['allow;', '“allow”'],
  ['location /a;', '“location”'],
  ['return 301 https://$server_name/;', '“return 301 https://$server_name/”'],
  ['return 200 $http_transfer_encoding;', '“return 200 $http_transfer_encoding”'],
  ['rewrite ^/a/(.*)$ /b/$1 break;', '“rewrite ^/a/(.*)$ /b/$1 break”'],
  ['rewrite ^/a /b last; return 200;', '“rewrite ^/a /b last”'],
  ['location /a { rewrite ^/a/(.*)$ /b/$1 last; }', '“rewrite ^/a/(.*)$ /b/$1 last”'],
  ['location /a { rewrite ^/a/(.*)$ /b/$1; }', '“rewrite ^/a/(.*)$ /b/$1”'],
  ['location /a { rewrite ^/a/(.*)$ /b/$1 permanent; }', '“rewrite ^/a/(.*)$ /b/$1 permanent”'],
  ['location /a { rewrite ^/a/(.*)$ /b?c=$1 break; }', '“rewrite ^/a/(.*)$ /b?c=$1 break”'],
  ['location /a { rewrite ^/a(.*)$ $1 break; }', '“rewrite ^/a(.*)$ $1 break”'],
  ['location /a { rewrite ^/a.b/(.*)$ /$1 break; }', '“rewrite ^/a.b/(.*)$ /$1 break”'],
  ['location /a { rewrite ^/(a|b)/(.*)$ /$1 break; }', '“rewrite ^/(a|b)/(.*)$ /$1 break”'],
  ['location /a { rewrite ^/a/(.*)$ /$1 break; return 200; }', '“rewrite ^/a/(.*)$ /$1 break”'],
  [
    'location /a { rewrite ^/a/(.*)$ /$1 break; proxy_pass http://10.0.0.6:80/b; }',
    '“proxy_pass http://10.0.0.6:80/b”',
  ],
  [
    'location /a { rewrite ^/a/(.*)$ /$1 break; include conf.d/include/proxy.conf; }',
    '“proxy_pass $forward_scheme',
  ],
  ['location @a { return 200; }', '“location @a”'],
  ['location /a { location /a/b { return 200; } }', '“location”'],
  ['location /a { limit_except GET { deny all; } }', '“limit_except”'],
  ['location /a { root /srv; }', '“root”'],
  ['location /a { allow lan; deny all; }', '“allow”'],
  ['location /a { allow ::ffff:10.0.0.1; deny all; }', '“allow”'],
  ['location /a { proxy_pass http://unix:/run/a.sock; }', '“proxy_pass http://unix:/run/a.sock”'],
  ['location /a { proxy_pass http://$host:80; }', '“proxy_pass http://$host:80”'],
  ['location /a { proxy_pass http://10.0.0.6:80/b$request_uri; }', '“proxy_pass http://10.0'],
  ['location /a { proxy_pass $forward_scheme://$server:$port/b; }', '“proxy_pass $forward_sch'],
  ['location ~ ^/a { deny all; }', '“location ~ ^/a”'],
  ['location ~* \\.png$ { deny all; }', '“location ~* \\.png$”'],
  ['location ~/a { deny all; }', '“location ~/a”'],
  ['error_page 404 /404.html;', '“error_page”'],
  ['set_real_ip_from 10.0.0.0/8;', '“set_real_ip_from”'],
  ['gzip_types text/css;', '“gzip_types”'],
  ['access_log off;', '“access_log”'],
  ['location /a { return 200 {$HOME}; }', 'braces'],
  ['location /a { return 200 "{$HOME}"; }', '“return 200 {$HOME}”'],
  ['location /a { return 200 1; } location ^~ /a { return 200 2; }', 'two locations'],
  [`${'location /a { }'.repeat(101)}`, 'too long'],
  ['location /a { proxy_set_header X "\n"; proxy_pass http://10.0.0.6:80; }', 'X �'],
])('nginx text is not taken: %p', (text, reason) => {
  const { lines, unsayable } = of(text);
  expect(unsayable.join('\n')).toContain(reason);
  expect(lines[0]).toStartWith('# ');
});

test('a path of two locations gets its slash if one of them forwards', () => {
  const passes = 'proxy_pass http://10.0.0.6:80;';
  const redirects = (exact: string, prefix: string) =>
    of(`location = /a/ { ${exact} } location /a/ { ${prefix} }`).lines.join('\n').match(/redir/g)
      ?.length ?? 0;
  expect(redirects('', passes)).toBe(1);
  expect(redirects(passes, '')).toBe(1);
  expect(redirects(passes, passes)).toBe(1);
  expect(redirects('', '')).toBe(0);
});

test('a brace at the end of a path begins no placeholder', () => {
  const { lines, unsayable } = of('location = "/a{" { deny all; } location /b { return 403 1; }');
  expect([unsayable, lines.some((line) => line.includes('{$'))]).toEqual([[], false]);
  expect(lines).toContain('\t@location1 path_regexp ^/a\\x7b$');
});

test('words are read as nginx reads them', () => {
  const variable = '$'.concat('{g}');
  const text = 'a\t"b \\" c"\r\n\'d;\\\'{\' e\\ f '.concat(variable, 'h} \\; # i; }\n"";j{k;}');
  expect(parse(text)).toEqual({
    directives: [
      { name: 'a', args: ['b " c', "d;'{", 'e\\ f', `${variable}h}`, '\\;', ''], block: null },
      { name: 'j', args: [], block: [{ name: 'k', args: [], block: null }] },
    ],
  });
});

test('a rule that came after a return is said to come first', () => {
  const first = 'Here the rules of access come first.';
  const said = (text: string, hasList: boolean) =>
    of(text, hasList)
      .remarks.map((one) => one.text)
      .join(' ');
  expect(said('return 301 https://a.example;', true)).toContain(first);
  expect(said('return 301 https://a.example;', false)).toBe('');
  expect(said('location /a { deny all; return 301 https://a.example; }', false)).toContain(first);
  expect(said('location /a { proxy_pass http://10.0.0.6:80; }', true)).toContain('access list');
  expect(said('deny all; location /a { allow all; }', false)).toContain('must pass both');
});

test('comments end where they end, and show what hides', () => {
  expect(commented('a {$HOME}\r\nb\0\u0085\u2028\ud800')).toEqual(['# a { $HOME}', '# b����']);
  const lines = [...commented('location ~ \\.php$ {\n}\\'), 'respond 404'];
  expect(tokenize(lines.join('\n')).map(({ text, line }) => [text, line])).toEqual([
    ['respond', 4],
    ['404', 4],
  ]);
});

test('hostile text of a megabyte is read to its end', () => {
  for (const piece of ['{', '"', "'", '\\', 'a{', 'a ', '#', '${', '(', 'a;', 'set $a "$a$a";']) {
    expect(of(piece.repeat(1_000_000 / piece.length)).unsayable.length).toBe(piece === '#' ? 0 : 1);
  }
});
