// proof: faults
/** What an explanation takes from an upstream, at most, and what it gives away: nothing to viewers. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { createServer as createTlsServer } from 'node:https';
import type { Explanation } from '../../../src/features/explain/schemas.ts';
import { selfSigned } from '../../harness/certificate.ts';
import { forFile } from '../../harness/for-file.ts';
import { limit } from '../../harness/speed.ts';
import { ask, until } from '../../harness/stack.ts';
import { forwarding } from './faults/fault.ts';
import { expectStatus, startHouse } from './house.ts';
import {
  answering,
  type Counted,
  dripping,
  flooding,
  startCounting,
  startHugeCertificate,
} from './services/hostile.ts';
import { portOf } from './services/listening.ts';

/** As the contract of an explanation has it. */
const MOST_CONNECTIONS = 6;
const MEBIBYTE = 2 ** 20;
const LONG = limit(60_000);

// The agent's own probes would count as well.
const house = await forFile(startHouse({ UPSTREAM_PROBE: 'false' }));
const { stops } = house.place;
const head = (status: string, more = '') =>
  `HTTP/1.1 ${status}\r\n${more}Content-Length: 2\r\n\r\nhi`;

/** Explains a new site that leads there. */
async function explainPort(port: number, scheme = ''): Promise<Explanation> {
  const { id } = await house.add(forwarding(`${scheme}127.0.0.1:${port}`));
  return house.explain({ vhost: id });
}

type Treat = Parameters<typeof startCounting>[1];

describe('an upstream is asked little', () => {
  test.each<[string, Treat]>([
    ['answers', answering(head('200 OK'))],
    ['answers 500', answering(head('500 Oops'))],
    ['answers 400', answering(head('400 Bad Request'))],
    ['answers 403', answering(head('403 Forbidden'))],
    ['wants an upgrade', answering(head('426 Upgrade Required', 'Upgrade: websocket\r\n'))],
    ['redirects to itself', answering(head('302 Found', 'Location: /\r\n'))],
    ['answers nonsense', answering('nonsense\r\n')],
    ['greets', (socket) => socket.write('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n')],
    ['never answers', () => {}],
    ['closes at once', (socket) => socket.destroy()],
    ['closes once it was asked', (socket, heard) => heard(() => socket.end())],
    ['resets once it was asked', (socket, heard) => heard(() => socket.resetAndDestroy())],
  ])(
    'that %s: by GET and HEAD, over six connections at most, and not at all afterwards',
    async (_, treat) => {
      const upstream = await startCounting(stops, treat);
      const { id } = await house.add(forwarding(`127.0.0.1:${upstream.port}`));
      // A change is explained as well.
      await quiet(upstream);
      const before = upstream.connections();
      expect(before).toBeLessThanOrEqual(MOST_CONNECTIONS);
      await house.explain({ vhost: id });
      await quiet(upstream);
      const used = upstream.connections() - before;
      expect(used).toBeGreaterThan(0);
      expect(used).toBeLessThanOrEqual(MOST_CONNECTIONS);
      const methods = upstream.lines.map((line) => line.split(' ')[0] ?? '');
      // The latter is how HTTP/2 begins (RFC 9113, 3.4).
      expect(methods.filter((name) => !['GET', 'HEAD', 'PRI'].includes(name))).toEqual([]);
      expect(upstream.agents.filter((name) => !/signalbox/i.test(name))).toEqual([]);
    },
    LONG,
  );

  /** Waits until no connection is open, and no other comes for a second. */
  async function quiet(upstream: Counted): Promise<void> {
    let seen = -1;
    let since = 0;
    await until(
      () => {
        if (upstream.open() > 0 || upstream.connections() !== seen) since = Date.now();
        seen = upstream.connections();
        return Date.now() - since > limit(1_000);
      },
      'an upstream that is left alone',
      40_000,
    );
  }
});

describe('an upstream that wants to do harm is named, and read no further', () => {
  test.each<[string, Treat]>([
    ['a banner without end', (socket) => void flooding('')(socket, (said) => said(''))],
    ['a header without end', flooding('HTTP/1.1 200 OK\r\nX-Long: ')],
    ['headers without end', (socket, heard) => endlessHeaders(socket, heard)],
    ['a status line without end', flooding('HTTP/1.1 200 ')],
    ['hints without end', flooding('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['cookies without end', flooding('HTTP/1.1 302 Found\r\n', 'Set-Cookie: a=b\r\n')],
    ['a byte a second', dripping('HTTP/1.1 200 OK\r\nServer: slow and steady\r\n')],
  ])(
    '%s',
    async (_, treat) => {
      const upstream = await startCounting(stops, treat);
      const before = process.memoryUsage.rss();
      const { verdict, step, words } = await explainPort(upstream.port);
      expect([verdict, step]).toEqual([
        expect.stringMatching(/fails|unsure/),
        expect.stringMatching(/speak|answer/),
      ]);
      expect(words).not.toBe('');
      expect(JSON.stringify(words).length).toBeLessThan(1_000);
      expect(upstream.sent() / MEBIBYTE).toBeLessThan(64);
      expect((process.memoryUsage.rss() - before) / MEBIBYTE).toBeLessThan(128);
      await until(() => upstream.open() === 0, 'the end of all connections');
    },
    LONG,
  );

  const endlessHeaders: Treat = (socket, heard) => {
    let begun = false;
    heard(() => {
      if (begun) return;
      begun = true;
      const lines = Array.from({ length: 1_000 }, (_, at) => `X-${at}: ${at}\r\n`).join('');
      const write = () => {
        while (!socket.destroyed && socket.write(lines));
        socket.once('drain', write);
      };
      socket.write('HTTP/1.1 200 OK\r\n');
      write();
    });
  };

  test(
    'a certificate of a megabyte',
    async () => {
      const { verdict, step } = await explainPort(await startHugeCertificate(stops), 'https://');
      expect([verdict, step]).toEqual([expect.stringMatching(/fails|unsure/), 'speak']);
    },
    LONG,
  );

  test(
    'a handshake of a byte a second',
    async () => {
      const upstream = await startCounting(stops, dripping('\x16\x03\x03\x40\x00\x02'));
      const { verdict, step } = await explainPort(upstream.port, 'https://');
      expect([verdict, step]).toEqual([expect.stringMatching(/fails|unsure/), 'speak']);
      await until(() => upstream.open() === 0, 'the end of all connections');
    },
    LONG,
  );

  test('a redirect to where clouds keep their secrets is not followed', async () => {
    const to = 'http://169.254.169.254/latest/meta-data/';
    const upstream = await startCounting(
      stops,
      answering(head('302 Found', `Location: ${to}\r\n`)),
    );
    const explanation = await explainPort(upstream.port);
    expect(explanation.asked).toMatchObject({ status: 302, location: to });
    expect(explanation.cause).toBe('REDIRECT_ELSEWHERE');
  });
});

describe('a viewer', () => {
  const CANARY = 'cAnArY7f3e';
  let viewer: Record<string, string>;
  beforeAll(async () => {
    viewer = await signIn('viewer');
  });

  async function signIn(role: string) {
    const [email, password] = [`${role}@example.org`, 'a long passphrase'];
    const account = { name: role, email, password, role };
    await expectStatus(house.owner, 201, 'POST', '/users', account);
    const json = { email, password };
    const { body } = await ask<{ token: string }>(`${house.stack.hub}/auth/sign-in/email`, {
      json,
    });
    return { Authorization: `Bearer ${body.token}` };
  }
  const asViewer = (json: object) =>
    ask<Explanation>(`${house.stack.hub}/explanations`, { json, headers: viewer });

  test.each<[string, Treat]>([
    ['a banner', (socket) => socket.write(`SSH-2.0-${CANARY}\r\n`)],
    ['nonsense', answering(`${CANARY}\r\n`)],
    ['a server’s name', answering(head('500 Oops', `Server: ${CANARY}\r\n`))],
    ['a reason', answering(head(`500 ${CANARY}`))],
    [
      'where it redirects to',
      answering(head('302 Found', `Location: http://${CANARY}.example/\r\n`)),
    ],
    ['nothing', (socket) => socket.destroy()],
  ])(
    'gets no address, port or word of an upstream that gives %s',
    async (_, treat) => {
      const { port } = await startCounting(stops, treat);
      const { id } = await house.add(forwarding(`127.0.0.1:${port}`));
      await assertNothing(id, port);
    },
    LONG,
  );

  test('gets no name of a certificate', async () => {
    const { certificate: cert, key } = await selfSigned([`${CANARY}.example`]);
    const secure = createTlsServer({ cert, key }, (_, response) => response.end('up'));
    stops.add(() => secure.closeAllConnections());
    const port = await portOf(secure, stops);
    await assertNothing((await house.add(forwarding(`127.0.0.1:${port}`))).id, port);
    await assertNothing((await house.add(forwarding(`https://127.0.0.1:${port}`))).id, port);
  });

  test('gets no name of an upstream that there is not', async () => {
    await assertNothing((await house.add(forwarding(`${CANARY}.invalid:8096`))).id, 8096);
  });

  async function assertNothing(vhost: number, port: number): Promise<void> {
    const { status, body, text } = await asViewer({ vhost });
    expect([status, text]).toEqual([200, expect.any(String)]);
    expect(body.verdict).not.toBe('unsure');
    expect(text.toLowerCase()).not.toContain(CANARY.toLowerCase());
    expect(text).not.toContain('127.0.0.1');
    expect(text).not.toContain(String(port));
    expect(body.cure?.operation ?? null).toBeNull();
  }

  test('may not have a change explained', async () => {
    const operation = { op: 'create', domain: 'http://new.example', config: 'respond up' };
    const { status, text } = await asViewer({ operation });
    expect([status, text]).toEqual([403, expect.any(String)]);
  });
});
