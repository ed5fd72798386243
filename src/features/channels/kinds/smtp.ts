/** Sends an email. */
import { t } from 'elysia';
import { choice, line, portField } from './fields.ts';
import { defineKind, type Sending } from './kind.ts';
import { failedWith, notTaken } from './post.ts';

const PORTS = { starttls: 587, tls: 465, none: 25 };
/** The first is the default. */
const SECURITY = {
  starttls: `STARTTLS (port ${PORTS.starttls})`,
  tls: `TLS (port ${PORTS.tls})`,
  none: `None (port ${PORTS.none})`,
};
/** RFC 5321 4.5.3.1.5 leaves 512 bytes for a line of an answer, and an answer has a handful. */
const LONGEST_ANSWER = 64 * 1024;

export const smtp = defineKind({
  title: 'Email',
  description: 'Email through your mail server',
  fields: t.Object({
    host: line('host', { title: 'Mail server', examples: ['mail.example.org'] }),
    security: t.Optional(choice(SECURITY, { title: 'Encryption' })),
    port: t.Optional(portField({ title: 'Port' })),
    user: t.Optional(line('user-name', { title: 'User' })),
    password: t.Optional(line('password', { title: 'Password', writeOnly: true })),
    from: line('email', { title: 'From', examples: ['signalbox@example.org'] }),
    to: line('email', { title: 'To', examples: ['you@example.org'] }),
  }),
  // Another port is another program, and without encryption, anyone on the way gets the password.
  placeOf: ({ host, security = 'starttls', port = PORTS[security] }) =>
    `${host} ${port} ${security}`,
  pair: ['user', 'password'],

  async send(target, sending) {
    // On demand: few hubs send email, and all start faster without.
    const { createTransport } = await import('nodemailer');
    const { host, security = 'starttls', port = PORTS[security], user, password } = target;
    const transport = createTransport({
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      ignoreTLS: security === 'none',
      ...(user !== undefined && { auth: { user, pass: password } }),
      maxResponseSize: LONGEST_ANSWER,
      // At the end of an attempt, do not wait for the server to close.
      socketCloseTimeout: 0,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await transport.sendMail(mailOf(target, sending));
    } catch (error) {
      throw failureOf(error as SmtpError);
    }
  },
});

const mailOf = (
  { from, to }: { from: string; to: string },
  { delivery: { id }, text: { title, body }, signal }: Sending,
) => ({
  from: { name: 'signalbox', address: from },
  to: { name: '', address: to },
  subject: title,
  text: `${body}\n`,
  // The same at each attempt, so that a mail program recognises a repeat.
  messageId: `<${id}@signalbox>`,
  // RFC 3834: so that no auto-reply comes back.
  headers: { 'Auto-Submitted': 'auto-generated' },
  signal,
});

/** As nodemailer has it: `responseCode` of an answer to `command`; or `originalCode` of the socket. */
type SmtpError = { code?: string; originalCode?: string; command?: string; responseCode?: number };

const STEPS: readonly [RegExp, string][] = [
  [/^AUTH/, 'the user or password was refused'],
  [/^MAIL/, 'the sender was refused'],
  [/^RCPT/, 'the recipient was refused'],
  [/^DATA/, 'the message was refused'],
  [/^STARTTLS/, 'it offers no STARTTLS'],
];

function failureOf({ code, originalCode = code, command = '', responseCode }: SmtpError) {
  if (responseCode === undefined) return failedWith(String(originalCode));
  const step = STEPS.find(([pattern]) => pattern.test(command))?.[1];
  return notTaken(`SMTP ${responseCode}${step ? `: ${step}` : ''}`);
}
