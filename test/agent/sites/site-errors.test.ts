import { describe, expect, test } from 'bun:test';
import type { LiveSite } from '../../../agent/sites/live-sites.ts';
import { type LogEvent, readLogEvent } from '../../../agent/sites/log-events.ts';
import { createSiteErrors } from '../../../agent/sites/site-errors.ts';

const NOW = 1795257791_000;

const line = (logger: string, msg: string, more: object = {}) =>
  JSON.stringify({ level: 'error', ts: NOW / 1000, logger, msg, ...more });
const request = (host: string, more: object = {}) => ({ request: { host, ...more }, status: 502 });
const dial = (address: string) => `dial tcp ${address}: connect: connection refused`;

const isCheck = (word: string, _: number, address: string) =>
  word === '0123456789abcdef' && address === '127.0.0.1';
const askedBy = (agent: string, client = '127.0.0.1') => ({
  remote_ip: '127.0.0.1',
  client_ip: client,
  headers: { 'User-Agent': [agent] },
});
const CHECK = 'signalbox-check/0123456789abcdef';
const failed = (host: string, message: string, dialled: string | null = null): LogEvent => ({
  kind: 'upstream',
  at: NOW,
  host,
  secure: true,
  message,
  dialled,
});

describe('a line is not an event', () => {
  test.each([
    '',
    'write error: no space left on device',
    'null',
    '7',
    '{}',
    '{"ts":"never","logger":"tls.obtain"}',
    line('http.log.error', 'x', { ...request('a'), ts: 1e300 }),
    line('tls.obtain', 'will retry', { error: '[a.example] x', retrying_in: 1e300 }),
    line('http.log.error', 'not found', { request: { host: 'a' }, status: 404 }),
    line('http.log.error', 'x', { status: 502 }),
    line('http.log.errors', 'x', request('a')),
    line('http.log.error', 'x', request('a', askedBy(CHECK))),
    line('tls.obtain', 'will retry', { error: 'no name', retrying_in: 60 }),
    line('tls.obtain', 'something', { error: 'of nobody' }),
    // A load ended the attempt.
    line('tls', 'job failed', { error: 'a.example: obtaining certificate: context canceled' }),
    line('tls.obtain', 'lock acquired', { level: 'info', identifier: 'a' }),
  ])('%p', (text) => {
    expect(readLogEvent(text, isCheck)).toBeNull();
  });
});

describe('a line says', () => {
  const NOT_FOUND = 'dial tcp: lookup db on 127.0.0.53:53: no such host';
  const LOCKED = "a.example: obtaining certificate: unable to acquire lock 'issue_cert_a.example'";
  const HEALTH = 'http.handlers.reverse_proxy.health_checker.active';
  const info = { level: 'info' };
  test.each<[string, string, object]>([
    [
      'which upstream was dialled',
      line('http.log.error.log0', dial('[::1]:9'), request('A.example:80', { tls: {} })),
      failed('A.example:80', dial('[::1]:9'), '[::1]:9'),
    ],
    [
      'which host name was not found',
      line('http.log.error', NOT_FOUND, request('a')),
      { ...failed('a', NOT_FOUND, 'db'), secure: false },
    ],
    [
      'that a challenge failed',
      line('tls.issuance.acme.acme_client', 'challenge failed', {
        identifier: 'a.example',
        problem: { type: 'urn:x', detail: 'no TXT\nrecord in /etc/dns/zone' },
      }),
      { kind: 'acme', name: 'a.example', message: 'no TXT record in zone' },
    ],
    [
      'that a certificate was given up',
      line('tls', 'job failed', { error: LOCKED }),
      { kind: 'acme', name: 'a.example', message: LOCKED },
    ],
    [
      'when Caddy tries again',
      line('tls.renew', 'will retry', { error: '[a.example] Renew: x', retrying_in: 60 }),
      { kind: 'retry', name: 'a.example', retryAt: NOW + 60_000 },
    ],
    [
      'that a certificate was renewed',
      line('tls.renew', 'certificate renewed successfully', { ...info, identifier: 'a' }),
      { kind: 'obtained', name: 'a' },
    ],
    [
      'that a health check failed',
      line(HEALTH, 'unexpected status code', { ...info, status_code: 500, host: 'http://one:1' }),
      { kind: 'unhealthy', address: 'one:1', message: 'unexpected status code: 500' },
    ],
  ])('%s', (_, text, expected) => {
    expect(readLogEvent(text, isCheck)).toEqual({ at: NOW, ...expected } as LogEvent);
  });

  test('what a visitor got who knows the word of a check', () => {
    const visitor = request('a', askedBy(CHECK, '203.0.113.9'));
    const event = readLogEvent(line('http.log.error', 'x', visitor), isCheck);
    expect(event).toMatchObject({ kind: 'upstream', host: 'a' });
  });

  test('only as much as fits', () => {
    const long = line('http.log.error', 'x'.repeat(9000), request('a'));
    const event = readLogEvent(long, isCheck);
    expect(event && 'message' in event && event.message.length).toBeLessThan(600);
  });
});

const site = (name: string, ...upstreams: string[]): LiveSite => ({
  name,
  ports: [443],
  listeners: [],
  tls: {
    host: '',
    port: 443,
    automated: true,
    kept: false,
    onDemand: false,
    authority: 'public',
    dns: false,
  },
  upstreams: upstreams.map((address) => ({ address, checked: false, dial: null, unknown: '' })),
  alone: true,
});

function begin(recovered: (host: string) => boolean = () => false) {
  let time = NOW;
  const asked: string[] = [];
  const errors = createSiteErrors(
    () => new Date(time),
    async (host) => {
      asked.push(host);
      return recovered(host);
    },
  );
  return { errors, asked, pass: (milliseconds: number) => (time += milliseconds) };
}

describe('an error', () => {
  test('from the CA stands until there is a certificate', () => {
    const { errors } = begin();
    const sites = [site('a.example'), site('b.example')];
    const refused = (name: string): LogEvent => ({ kind: 'acme', at: NOW, name, message: 'no' });
    const retry: LogEvent = { kind: 'retry', at: NOW, name: 'a.example', retryAt: NOW + 60_000 };
    expect(errors.record([refused('a.example'), refused('b.example'), retry], sites)).toEqual([]);
    const at = new Date(NOW).toISOString();
    const retryAt = new Date(NOW + 60_000).toISOString();
    expect(errors.errorsOf(site('a.example'))).toEqual([
      { kind: 'acme', at, message: 'no', standing: true, retryAt },
    ]);
    const done: LogEvent = { kind: 'obtained', at: NOW, name: 'a.example' };
    expect(errors.record([done], sites)).toEqual(['a.example']);
    expect(errors.errorsOf(site('a.example'))).toEqual([]);
    expect(errors.errorsOf(site('b.example')).length).toBe(1);
  });

  test('of an upstream belongs to the requested site', () => {
    const { errors } = begin();
    const [exact, wildcard, any, plain] = [
      site('a.example'),
      site('*.example'),
      site(''),
      { ...site('a.example'), tls: null, ports: [80] },
    ];
    errors.record(
      [failed('A.example:443', '1'), failed('x.example', '2'), failed('elsewhere', '3')],
      [exact, wildcard, any, plain],
    );
    const messages = [exact, wildcard, any, plain].map((one) =>
      errors.errorsOf(one).map(({ message }) => message),
    );
    expect(messages).toEqual([['1'], ['2'], ['3'], []]);
  });

  test('names only the upstream that was dialled', () => {
    const sites = [site('a.example', '127.0.0.1:1', 'localhost:2', 'db:3', 'unix//run/x')];
    const [only] = sites;
    const downFor = (dialled: string | null) => {
      const { errors } = begin();
      errors.record([failed('a.example', 'x', dialled)], sites);
      return only?.upstreams
        .map(({ address }) => address)
        .filter((address) => only && errors.faultOf(only, address));
    };
    expect(downFor('127.0.0.1:1')).toEqual(['127.0.0.1:1']);
    expect(downFor('[::1]:2')).toEqual(['localhost:2']);
    expect(downFor('127.0.0.2:1')).toEqual([]);
    expect(downFor('db')).toEqual(['db:3']);
    expect(downFor('/run/x')).toEqual(['unix//run/x']);
    expect(downFor(null)).toEqual([]);
  });

  test('that is over is shown as such, and forgotten after an hour', async () => {
    const { errors, pass } = begin(() => true);
    const sites = [site('a.example', 'one:1')];
    errors.record([failed('a.example', 'x')], sites);
    expect(errors.faultOf(site('a.example', 'one:1'), 'one:1')).not.toBeNull();
    await errors.refresh(sites);
    expect(errors.errorsOf(site('a.example'))).toMatchObject([{ standing: false }]);
    expect(errors.faultOf(site('a.example', 'one:1'), 'one:1')).toBeNull();
    pass(3_600_001);
    await errors.refresh(sites);
    expect(errors.errorsOf(site('a.example'))).toEqual([]);
  });

  test('is forgotten with its site', async () => {
    const { errors } = begin();
    errors.record([failed('a.example', 'x')], [site('a.example')]);
    await errors.refresh([site('b.example')]);
    expect(errors.errorsOf(site('a.example'))).toEqual([]);
  });

  test('of many sites is checked a hundred at a time, in turn', async () => {
    const { errors, asked } = begin();
    const sites = Array.from({ length: 150 }, (_, i) => site(`${i}.example`));
    errors.record(
      sites.map(({ name }) => failed(name, 'x')),
      sites,
    );
    await errors.refresh(sites);
    expect(asked.length).toBe(100);
    await errors.refresh(sites);
    expect(new Set(asked).size).toBe(150);
  });
});
