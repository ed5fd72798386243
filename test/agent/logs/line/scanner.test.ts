import { describe, expect, test } from 'bun:test';
import { entryFacts, hostKey } from '../../../../agent/logs/line/entry.ts';
import { requestFacts } from '../../../../agent/logs/line/scanned-line.ts';
import { createScanner } from '../../../../agent/logs/line/scanner.ts';
import { createUserAgentFinder } from '../../../../agent/logs/line/user-agent.ts';
import { anyLines, caddyEntry, line, random } from '../lines.ts';

const scanner = createScanner();

function scanLine(text: string | Buffer): boolean {
  const bytes = Buffer.concat([Buffer.from(text), Buffer.from('\n')]);
  scanner.open(bytes);
  return scanner.scan(0, bytes.length - 1);
}

describe('what is left to JSON.parse', () => {
  const modified: Readonly<Record<string, string>> = {
    'another status at the end': line().replace(/}$/, ',"status":500}'),
    'another request at the end': line().replace(/}$/, ',"request":{"host":"x"}}'),
    'an object at the end': line().replace(/}$/, ',"x":{"a":["b"]}}'),
    'a second host': line().replace('"uri"', '"host":"x","uri"'),
    'a host after the headers': line().replace(']}},"user', ']},"host":"x"},"user'),
    'a request in a request': line().replace('"host"', '"z":{"host"').replace(']}},', ']}}},'),
    'an escaped host': line().replace('b.example', '\\u0062.example'),
    'a status with a leading zero': line().replace('"status":200', '"status":0200'),
    'a long status': line().replace('"status":200', '"status":2000'),
    'a torn line with another after it': line().slice(0, 290) + line(),
    'two lines in one': line() + line(),
    'a hole': line().replace('curl', '\0\0\0\0'),
    'a carriage return': `${line()}\r`,
    nothing: '',
  };
  test.each(Object.entries(modified))('%s', (_name, text) => {
    expect(scanLine(text)).toBe(false);
  });
});

test("recognises Caddy's default lines", () => {
  expect(scanLine(line())).toBe(true);
  expect(scanner.line).toMatchObject({ status: 200, time: 1795212767620 });
  const modern = {
    tls: { resumed: false, version: 772, cipher_suite: 4865, proto: 'h2', server_name: 'a' },
  };
  const { user_id, ...rest } = JSON.parse(line({ request: modern }));
  const { level, ts, logger, msg, request, ...outcome } = rest;
  const full = { level, ts, logger, msg, request, bytes_read: 7, user_id, ...outcome };
  expect(scanLine(JSON.stringify(full))).toBe(true);
});

test('never disagrees with JSON.parse on adversarial lines', () => {
  let recognised = 0;
  let withFields = 0;
  const userAgents = createUserAgentFinder();
  let withAgent = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const bytes = anyLines(random(seed), 200, 1795212767 + seed);
    scanner.open(bytes);
    userAgents.open(bytes);
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start);
      if (scanner.scan(start, end)) {
        const { hostStart, hostEnd, status, time } = scanner.line;
        const key = hostKey(bytes.toString('latin1', hostStart, hostEnd));
        const facts = entryFacts(bytes.toString('utf8', start, end));
        expect(facts).toMatchObject({ key, status, time });
        const fields = requestFacts(bytes, scanner.line);
        expect(facts).toMatchObject(fields ?? {});
        if (fields) withFields++;
        const userAgent = userAgents.find(scanner.line);
        if (userAgent !== undefined) expect(facts?.userAgent).toBe(userAgent);
        if (userAgent) withAgent++;
        recognised++;
      }
      start = end + 1;
    }
  }
  expect(recognised).toBeGreaterThan(1000);
  expect(withFields).toBeGreaterThan(1000);
  expect(withAgent).toBeGreaterThan(1000);
});

test('a line cut anywhere is not recognised', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const whole = Buffer.from(JSON.stringify(caddyEntry(random(seed), 1795212767.1)));
    for (let cut = 1; cut < whole.length; cut++) {
      expect(scanLine(whole.subarray(0, cut))).toBe(false);
      expect(scanLine(whole.subarray(cut))).toBe(false);
    }
  }
});
