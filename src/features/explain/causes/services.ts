/** Names services that are no HTTP by the first characters that they send. Pure. */

const SERVICES: readonly (readonly [RegExp, string])[] = [
  [/^SSH-/, 'SSH'],
  [/^220[ -].*(?:SMTP|Postfix|Exim|mail)/i, 'SMTP, for mail'],
  [/^220[ -].*FTP/i, 'FTP'],
  [/^\+OK\b/, 'POP3, for mail'],
  [/^\* OK\b/, 'IMAP, for mail'],
  [/^RTSP\//, 'RTSP, for cameras'],
  [/mysql_native_password|caching_sha2_password|MariaDB/, 'MySQL or MariaDB'],
  [/^-(?:ERR|NOAUTH|DENIED)\b/, 'Redis'],
  [/^RFB \d/, 'VNC'],
  [/^AMQP/, 'AMQP, for messages'],
  [/^SIP\//, 'SIP, for telephony'],
  [/^:\S+ (?:NOTICE|\d{3}) |^NOTICE /, 'IRC'],
  [/FATAL.*(?:startup packet|protocol)/, 'PostgreSQL'],
  [/^ERROR\b/, 'memcached, or something like it'],
];

/** What a banner tells; null: nothing that is known. */
export const serviceOf = (banner: string): string | null =>
  SERVICES.find(([pattern]) => pattern.test(banner))?.[1] ?? null;
