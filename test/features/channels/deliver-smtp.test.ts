// proof: messages
/** What mail servers get, and that none of them can harm the hub. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { createDeliver } from '../../../src/features/channels/deliver.ts';
import type { Target } from '../../../src/features/channels/kinds/kind.ts';
import { flood, type RawServer, startRaw, trickle } from '../../harness/raw-server.ts';
import { CHASQUID, type MailServer, startMailServer } from '../../harness/smtp.ts';
import { until } from '../../harness/stack.ts';
import { channel, delivery, HAPPENING } from './samples.ts';

const deliver = createDeliver('a-hub');
const ADDRESSES = { from: 'hub@example.org', to: 'ada@example.org' };

/** The detail with which a delivery fails. */
async function failure(target: Target, by = deliver) {
  const failed = by(channel('smtp', { ...ADDRESSES, ...target }), delivery(HAPPENING)).then(
    () => null,
    (error) => error,
  );
  const error = await failed;
  expect([error?.code, String(error?.message)]).toEqual([
    'CHANNEL_FAILED',
    'The channel did not accept the message.',
  ]);
  return error.detail;
}

describe('a server that behaves as none should', () => {
  /** For a server whose answer does not come. */
  const hasty = createDeliver('a-hub', 300);
  const servers: RawServer[] = [];
  // The first message loads what sends it, for which `hasty` might not wait.
  beforeAll(() => failure({ host: '127.0.0.1', port: 1 }));
  afterAll(() => {
    for (const server of servers) server.stop();
  });

  /** Greets, and answers each line by what it begins with. */
  const answering = (answers: Record<string, (socket: Socket) => void>) => (socket: Socket) => {
    socket.write('220 here\r\n');
    socket.on('data', (data) => answers[data.toString().slice(0, 4)]?.(socket));
  };
  const LATE = 'no answer within 0.3 s';
  const NO_SMTP = 'it does not speak SMTP';

  test.each<[string, string, (socket: Socket) => void]>([
    ['does not greet', LATE, () => {}],
    ['greets slowly, without end', LATE, (socket) => trickle(socket, '', '220-hello\r\n')],
    ['greets fast, without end', NO_SMTP, (socket) => flood(socket, '', '220-hello\r\n')],
    ['greets in one line without end', NO_SMTP, (socket) => flood(socket, '220 ')],
    ['refuses to greet', 'SMTP 554', (socket) => socket.write('554 not you\r\n')],
    ['closes the connection', 'the connection was closed', (socket) => socket.end()],
    [
      'knows extensions without end',
      NO_SMTP,
      answering({ EHLO: (socket) => flood(socket, '', '250-MORE\r\n') }),
    ],
    [
      'answers what was not asked, without end',
      'the TLS handshake failed',
      answering({ EHLO: (socket) => flood(socket, '', '250 fine\r\n') }),
    ],
    [
      'offers STARTTLS, and no handshake',
      LATE,
      answering({
        EHLO: (socket) => socket.write('250-here\r\n250 STARTTLS\r\n'),
        STAR: (socket) => socket.write('220 go\r\n'),
      }),
    ],
  ])('%s', async (_, detail, treat) => {
    const server = await startRaw(treat);
    servers.push(server);
    const by = detail === LATE ? hasty : deliver;
    expect(await failure({ host: '127.0.0.1', port: server.port }, by)).toBe(detail);
    await until(() => server.closed() > 0, 'the end of the connection');
  });

  test.each([
    ['that knows no STARTTLS', '500 what?'],
    ['from which somebody on the way keeps STARTTLS', '454 not now'],
  ])('one %s gets no password', async (_, answer) => {
    let heard = '';
    const server = await startRaw((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (data) => {
        heard += data;
        const isHello = data.toString().startsWith('EHLO');
        socket.write(isHello ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : `${answer}\r\n`);
      });
    });
    servers.push(server);
    const target = { host: '127.0.0.1', port: server.port, user: 'ada', password: 'passphrase' };
    expect(await failure(target)).toBe(`SMTP ${answer.slice(0, 3)}: it offers no STARTTLS`);
    expect(heard).toMatch(/^EHLO [^\r]+\r\nSTARTTLS\r\n$/);
  });

  test('is not there', async () => {
    expect(await failure({ host: '127.0.0.1', port: 1 })).toBe('connection refused, or no route');
    expect(await failure({ host: 'nowhere.invalid' })).toBe('its name cannot be resolved');
  });
});

describe.skipIf(CHASQUID === null)('a real server', () => {
  let server: MailServer;
  let account: { host: string; user: string; password: string };
  beforeAll(async () => {
    server = await startMailServer();
    account = { host: server.host, user: server.user, password: server.password };
  });
  afterAll(() => server.stop());

  test('gets no password without a certificate that is trusted', async () => {
    const untrusted = 'its certificate is not trusted';
    expect(await failure({ ...account, port: server.startTlsPort })).toBe(untrusted);
    const tls = { security: 'tls', port: server.tlsPort } as const;
    expect(await failure({ ...account, ...tls })).toBe(untrusted);
  });

  const plain = { host: '127.0.0.1', security: 'none' } as const;

  test('refuses a recipient that it does not have', async () => {
    const port = server.plainPort;
    expect(await failure({ ...plain, port, to: 'bob@example.org' })).toBe(
      'SMTP 550: the recipient was refused',
    );
    expect(server.mails()).toEqual([]);
  });

  test('is not spoken to without TLS where it speaks TLS', async () => {
    const tls = { ...account, security: 'tls', port: server.plainPort } as const;
    expect(await failure(tls)).toBe('the TLS handshake failed');
  });

  test('gets an email in any script, known by its id, that nobody answers', async () => {
    const sender = { ...HAPPENING, about: 'bücher.example\r\nBcc: eve@example.org 😀' };
    const target = { ...ADDRESSES, ...plain, port: server.plainPort };
    await deliver(channel('smtp', target), delivery(sender));
    const [mail = ''] = await until(() => server.mails().length > 0 && server.mails(), 'the mail');
    const [headers = '', ...body] = mail.split('\n\n');
    expect(headers).not.toMatch(/^Bcc/m);
    const lines = headers.replaceAll(/\n[ \t]+/g, ' ').split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `));
    expect(field('From')).toBe('From: signalbox <hub@example.org>');
    expect(field('To')).toBe('To: ada@example.org');
    expect(field('Message-ID')).toBe('Message-ID: <an-id@signalbox>');
    expect(field('Auto-Submitted')).toBe('Auto-Submitted: auto-generated');
    expect(field('Content-Type')).toBe('Content-Type: text/plain; charset=utf-8');
    expect(decoded(field('Subject') ?? '')).toBe(
      'Subject: bücher.example Bcc: eve@example.org 😀: upstream down',
    );
    expect(decoded(body.join('\n\n').replaceAll('=\n', ''))).toBe(
      'b:1 does not answer: „refused“.\n\nSince 22 Nov 2026, 05:21 UTC.\n',
    );
  });
});

/** Text with quoted-printable bytes, in encoded words or not. */
function decoded(text: string): string {
  const joined = text
    .replaceAll('?= =?UTF-8?Q?', '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, word: string) => word.replaceAll('_', ' '));
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
