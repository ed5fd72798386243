/** Requests as bytes on a socket, for what no HTTP client sends. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

type RawAnswer = { status: number; head: string; body: string };

/**
 * Sends `request` as it is and reads the first answer to its end; status 0 if there is none.
 * @param url whose host and port to connect to; `https:` connects by TLS, with any certificate
 * @param from the address to connect from, and for which name by TLS
 */
export function sendRaw(
  url: string,
  request: string,
  from: { localAddress?: string; servername?: string } = {},
): Promise<RawAnswer> {
  const { protocol, hostname, port } = new URL(url);
  const where = { host: hostname, port: Number(port), ...from };
  const { promise, resolve } = Promise.withResolvers<RawAnswer>();
  const socket =
    protocol === 'https:' ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where);
  let text = '';
  socket.on(protocol === 'https:' ? 'secureConnect' : 'connect', () => socket.write(request));
  socket.on('data', (chunk) => {
    text += chunk;
    if (isWhole(text, request)) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
    resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body });
  });
  return promise;
}

/** Whether all that the head of an answer announces has arrived; a stream counts after its head. */
function isWhole(text: string, request: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  if (text.startsWith('HTTP/1.1 101 ')) return true;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  if (length === undefined || request.startsWith('HEAD ')) return true;
  return Buffer.byteLength(text.slice(end + 4)) >= Number(length);
}
