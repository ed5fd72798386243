/** What a newer Caddy refuses is found before the upgrade, and what to write instead is accepted. */
import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createValidator } from '../../../agent/caddy/config/validate.ts';
import { insteadOf, refusedByNewer } from '../../../src/hub/caddyfile/newer-caddy.ts';
import { Failure } from '../../../src/shared/failure.ts';
import { allCaddys, versionOf } from '../../harness/caddys.ts';
import { temporaryFolder } from '../../harness/stack.ts';

type Case = {
  what: string;
  /** As a whole Caddyfile. */
  old: string;
  /** Where `old` is wrong. */
  lines: number[];
  /** What it becomes after the advice. */
  instead: string;
  /** The versions that take `old`, and those that take `instead`. */
  from?: string;
  until: string;
  insteadFrom?: string;
};

const site = (body: string): string => `http://a.test {\n${body}\n}\n`;
const proxy = (body: string): string => site(`reverse_proxy localhost:1 {\n${body}\n}`);
const options = (body: string): string => `{\n${body}\n}\n${site('respond x')}`;
const HASH = 'JDJhJDE0JFdOS0tuR0ZjSG04WXQxbUhjQjlaWHUwUFp4b1hya1pKVnZRclVwUnptaEg2U1g4a1lGY0Ey';
const BCRYPT = '$2a$14$WNKKnGFcHm8Yt1mHcB9ZXu0PZxoXrkZJVvQrUpRzmhH6SX8kYFcA2';

const CASES: Case[] = [
  {
    what: 'a log with several outputs and formats',
    old: site(
      'log {\noutput stdout\nformat json {\ntime_format iso8601\n}\nlevel INFO\noutput discard\nformat console\nlevel ERROR\n}',
    ),
    lines: [8, 9, 10],
    instead: site('log {\noutput discard\nformat console\nlevel ERROR\n}'),
    until: '2.11.6',
  },
  {
    what: 'a global log with two levels',
    old: options('log default {\nlevel INFO\nlevel ERROR\n}'),
    lines: [4],
    instead: options('log default {\nlevel ERROR\n}'),
    until: '2.11.6',
  },
  {
    what: 'sampling that says something twice',
    old: site('log {\nsampling {\nfirst 1\nfirst 2\n}\nno_hostname\nno_hostname\n}'),
    lines: [5, 8],
    instead: site('log {\nsampling {\nfirst 2\n}\nno_hostname\n}'),
    from: '2.11.4',
    until: '2.11.6',
  },
  {
    what: 'timeouts of request_body',
    old: site(
      'handle /up {\nrequest_body {\nread_timeout 9s\nwrite_timeout 8s\nmax_size 1MB\n}\n}',
    ),
    lines: [4, 5],
    instead: site(
      'handle /up {\nrequest_body {\nmax_size 1MB\n}\ntimeouts {\nread_timeout 9s\nwrite_timeout 8s\n}\n}',
    ),
    from: '2.11.4',
    until: '2.11.6',
    insteadFrom: '2.11.6',
  },
  {
    what: 'forward_auth with two URIs',
    old: site('forward_auth @a localhost:1 {\nuri /a\nuri /b\n}\n@a path /x'),
    lines: [4],
    instead: site('forward_auth @a localhost:1 {\nuri /b\n}\n@a path /x'),
    until: '2.11.6',
  },
  {
    what: 'two named routes with one name',
    old: `&(a) {\nrespond x\n}\n&(b) {\nrespond y\n}\n&(a) {\nrespond z\n}\n${site('invoke a')}`,
    lines: [7],
    instead: `&(b) {\nrespond y\n}\n&(a) {\nrespond z\n}\n${site('invoke a')}`,
    from: '2.11.4',
    until: '2.11.6',
  },
  {
    what: 'weights that are all zero',
    old: site('reverse_proxy :1 :2 {\nlb_policy weighted_round_robin 0 00\n}'),
    lines: [3],
    instead: site('reverse_proxy :1 :2 {\nlb_policy weighted_round_robin 0 1\n}'),
    from: '2.11.4',
    until: '2.11.6',
  },
  {
    what: 'buffering without a size',
    old: proxy('buffer_requests\nbuffer_responses\nmax_buffer_size 1MB'),
    lines: [3, 4, 5],
    instead: proxy('request_buffers 1MB\nresponse_buffers 1MB'),
    until: '2.11.4',
    insteadFrom: '2.11.4',
  },
  {
    what: 'addresses that were forwarded',
    old: site('@a remote_ip forwarded 10.0.0.0/8\n@b {\nnot remote_ip forwarded ::1\n}\nabort @b'),
    lines: [2, 4],
    instead: site('@a client_ip 10.0.0.0/8\n@b {\nnot client_ip ::1\n}\nabort @b'),
    until: '2.11.4',
    insteadFrom: '2.11.4',
  },
  {
    what: 'upstreams of SRV records',
    old: site('reverse_proxy srv+http://a.test'),
    lines: [2],
    instead: site('reverse_proxy {\ndynamic srv a.test\n}'),
    until: '2.11.4',
  },
  {
    what: 'scrypt',
    old: site(`basicauth /x scrypt {\nada ${HASH} c2FsdA==\n}`),
    lines: [2],
    instead: site(`basicauth /x bcrypt {\nada ${BCRYPT}\n}`),
    until: '2.11.4',
  },
  {
    what: 'protocol of servers',
    old: options('servers {\nprotocol {\nstrict_sni_host\n}\n}'),
    lines: [3],
    instead: options('servers {\nstrict_sni_host\n}'),
    until: '2.11.4',
  },
  {
    what: 'rates of on-demand certificates',
    old: options('on_demand_tls {\nask http://localhost:1\ninterval 2m\nburst 5\n}'),
    lines: [4, 5],
    instead: options('on_demand_tls {\nask http://localhost:1\n}'),
    until: '2.11.4',
  },
];

const isIn = (version: string, from = '2.6.2', until = '99.0.0') =>
  Bun.semver.order(version, from) >= 0 && Bun.semver.order(version, until) < 0;

describe('nothing is found', () => {
  test.each([
    ['in a text with all of it, once', CASES.map(({ instead }) => instead).join('\n')],
    ['in what only looks like it', site('respond "log {\n\toutput x\n\toutput y\n}"')],
    ['in a comment', site('log {\n# output a\noutput discard\n# output b\n}')],
    ['in two blocks', site('log {\noutput discard\n}\nhandle {\nforward_auth :1 {\nuri /\n}\n}')],
    [
      'in an encoder',
      site('log {\nformat filter {\nwrap json\nfields {\nlevel delete\n}\n}\nlevel INFO\n}'),
    ],
    ['in a variable', site('reverse_proxy :1 {\nlb_policy weighted_round_robin {$W:0}\n}')],
    ['where braces do not match', '}\n}\nlog {\noutput discard\n{\n'],
    ['in nothing', ''],
  ])('%s', (_, text) => expect(refusedByNewer(text, '2.6.2')).toEqual([]));

  test('if it is not known which Caddy runs, or that one is new enough', () => {
    for (const { old, until } of CASES) {
      expect(refusedByNewer(old, null)).toEqual([]);
      expect(refusedByNewer(old, until)).toEqual([]);
      expect(refusedByNewer(old, '2.12.0')).toEqual([]);
    }
  });
});

test.each(CASES)('$what: found on its lines', ({ old, lines, until, insteadFrom }) => {
  const version = until === '2.11.6' ? '2.11.4' : '2.6.2';
  const found = refusedByNewer(old, version);
  expect(found.map(({ line }) => line)).toEqual(lines);
  for (const { since, detail, instead } of found) {
    expect([since, detail, instead]).toEqual([
      until,
      expect.stringMatching(/^[^\n]+\.$/),
      expect.stringMatching(/^[^\n]+\.$/),
    ]);
    const isMissing = insteadFrom !== undefined;
    expect(instead.includes(`Caddy ${version} does not have that yet`)).toBe(isMissing);
  }
});

test('many mistakes are not all listed', () => {
  const old = site(`log {\n${'output discard\n'.repeat(5_000)}}`);
  expect(refusedByNewer(old, '2.11.4')).toHaveLength(20);
});

describe.each(allCaddys())('$name', ({ bin }) => {
  const home = join(temporaryFolder(), 'home');
  const version = versionOf(bin);
  const validator = createValidator({
    bin,
    prefix: [],
    deadline: 30_000,
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  });
  afterAll(() => validator.close());
  const sentenceOf = (text: string) =>
    validator.validate(text).then(
      () => null,
      (error: unknown) => (error instanceof Failure ? (error.detail ?? '') : String(error)),
    );

  test.each(CASES)('$what', async ({ old, instead, from, until, insteadFrom }) => {
    const sentence = await sentenceOf(old);
    if (isIn(version, from, until)) expect(sentence).toBeNull();
    if (isIn(version, until)) {
      expect(sentence).not.toBeNull();
      expect([sentence, insteadOf(sentence ?? '')]).toEqual([sentence, expect.any(String)]);
    }
    if (isIn(version, insteadFrom ?? from)) expect(await sentenceOf(instead)).toBeNull();
  });
});
