/** How the text of a site changes for a cure, and when it is left to people. */
import { describe, expect, test } from 'bun:test';
import { operationFor } from '../../../src/features/explain/cures.ts';
import type { Change } from '../../../src/features/explain/facts.ts';
import { storedVhost } from '../../harness/vhost.ts';

const FIELD = { config: 'encode gzip\nreverse_proxy {upstream}', upstream: '127.0.0.1:8443' };
const TLS: Change = { address: '127.0.0.1:8443', scheme: 'https', unverified: true };
const SKIP = ' {\n\ttransport http {\n\t\ttls_insecure_skip_verify\n\t}\n}';
const cured = (texts: { config: string; upstream: string }, change: Change) =>
  operationFor(storedVhost({ id: 7, ...texts }), null, change);

describe('a cure', () => {
  test('of the field', () => {
    expect(cured(FIELD, TLS)).toEqual({
      op: 'update',
      id: 7,
      upstream: 'https://127.0.0.1:8443',
      config: `encode gzip\nreverse_proxy {upstream}${SKIP}`,
    });
  });

  test('of the config', () => {
    const config = 'handle /api/* {\n\treverse_proxy 127.0.0.1:8443\n}\nrespond hi';
    expect(cured({ config, upstream: '' }, { address: '127.0.0.1:8443', scheme: 'h2c' })).toEqual({
      op: 'update',
      id: 7,
      config: 'handle /api/* {\n\treverse_proxy h2c://127.0.0.1:8443\n}\nrespond hi',
    });
  });

  test('within a block that is there', () => {
    const config = 'reverse_proxy {upstream} {\n\theader_up X-A b\n}';
    const change: Change = { address: '127.0.0.1:8443', ownHost: true };
    expect(cured({ ...FIELD, config }, change)).toMatchObject({
      config:
        'reverse_proxy {upstream} {\n\theader_up Host {upstream_hostport}\n\theader_up X-A b\n}',
    });
  });

  test('within a transport that is there', () => {
    const config = 'reverse_proxy {upstream} {\n\ttransport http {\n\t\tkeepalive off\n\t}\n}';
    expect(cured({ ...FIELD, config }, TLS)).toMatchObject({
      config:
        'reverse_proxy {upstream} {\n\ttransport http {\n\t\ttls_insecure_skip_verify\n\t\tkeepalive off\n\t}\n}',
    });
  });

  test('takes options of TLS away for plain HTTP', () => {
    const upstream = 'https://127.0.0.1:8443';
    const config = `reverse_proxy {upstream}${SKIP}`;
    const change: Change = { address: '127.0.0.1:8443', scheme: 'http' };
    expect(cured({ config, upstream }, change)).toMatchObject({
      upstream: 'http://127.0.0.1:8443',
      config: 'reverse_proxy {upstream} {\n\ttransport http {\n\t}\n}',
    });
  });

  test('leads elsewhere', () => {
    const change: Change = { address: '127.0.0.1:8443', to: '[::1]:8443' };
    expect(cured(FIELD, change)).toEqual({ op: 'update', id: 7, upstream: '[::1]:8443' });
  });

  test('of a change is that change with it', () => {
    const operation = { op: 'create', domain: 'a.example', ...FIELD } as const;
    expect(operationFor(storedVhost(FIELD), operation, TLS)).toMatchObject({
      op: 'create',
      domain: 'a.example',
      upstream: 'https://127.0.0.1:8443',
    });
    const toggle = { op: 'toggle', id: 7 } as const;
    expect(operationFor(storedVhost(FIELD), toggle, TLS)).toBeNull();
  });
});

describe('is left to people', () => {
  test.each([
    ['with several upstreams', 'reverse_proxy 127.0.0.1:8443 127.0.0.1:8444'],
    ['with the same one twice', 'reverse_proxy /a 127.0.0.1:8443\nreverse_proxy 127.0.0.1:8443'],
    ['in a snippet', 'import proxy'],
    ['with another one', 'reverse_proxy 127.0.0.1:9'],
    ['with a transport of another kind', 'reverse_proxy 127.0.0.1:8443 {\n\ttransport x {\n\t}\n}'],
  ])('%s', (_, config) => expect(cured({ config, upstream: '' }, TLS)).toBeNull());

  test('what would change nothing', () => {
    const config = `reverse_proxy https://127.0.0.1:8443${SKIP}`;
    expect(cured({ config, upstream: '' }, TLS)).toBeNull();
  });
});
