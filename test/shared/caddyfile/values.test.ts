/** Changing the values of global options. */
import { expect, test } from 'bun:test';
import { withValues } from '../../../src/shared/caddyfile/globals.ts';

const VALUES = { http_port: '80', https_port: '443' };

test.each([
  '',
  '{\n}',
  '{\n\temail ada@example.org\n}',
  '(snippet) {\n\thttp_port 8080\n}',
  '{\n\tservers {\n\t\thttp_port 8080\n\t}\n}',
  '# http_port 8080\n{\n\t# http_port 8080\n\temail a@example.org\n}',
  '{\n\temail "\n\thttp_port 8080"\n}',
])('%j has none of them, and stays as it is', (preamble) =>
  expect(withValues(preamble, VALUES)).toBe(preamble),
);

test.each([
  ['{\n\thttp_port 8080\n\thttps_port 8443\n}', '{\n\thttp_port 80\n\thttps_port 443\n}'],
  ['{ http_port 8080\n\temail a@b.example\n}', '{ http_port 80\n\temail a@b.example\n}'],
  ['{\n\thttps_port "8443" # why\n}\n\n(s) {\n}', '{\n\thttps_port 443 # why\n}\n\n(s) {\n}'],
  ['{\r\n\thttp_port {$PORT}\r\n}', '{\r\n\thttp_port 80\r\n}'],
])('%j becomes %j', (preamble, after) => expect(withValues(preamble, VALUES)).toBe(after));
