/** One connection to a trial, as one visitor's: requests in turn, of whose responses only the head is read. */
import { connect, isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** The head of a response; header names in lower case, values of the same name with a comma between. */
export type Head = { status: number; headers: ReadonlyMap<string, string> };

/** Instead of a response that took too long: nobody knows what it would have been. */
export const LATE = 'late';
type Heard = Head | typeof LATE | null;

export type Connection = {
  /** Whether a connection can be made. Never rejects. */
  open(): Promise<boolean>;
  /**
   * Never rejects; null if there is no response.
   * @param hasBody whether the response may have a body, as those to HEAD have none
   */
  ask(request: Buffer, hasBody: boolean): Promise<Heard>;
  close(): void;
};

export type Peer = {
  host: string;
  port: number;
  tls: boolean;
  /** What to say that the address is, by PROXY protocol; null: say nothing. */
  as: string | null;
};

/** How long a response may take, in milliseconds. */
export const ANSWER_MS = 2_000;
/** Of a head, or of a body that is read to use the connection again. */
const MOST_BYTES = 64 * 1024;
const END = Buffer.from('\r\n\r\n');

export function createConnection(peer: Peer): Connection {
  let socket: Socket | null = null;
  /** Gets what comes, and null once nothing more does. */
  let heard: (bytes: Buffer | null) => void = () => {};

  /** @throws of any kind */
  async function begin(): Promise<Socket> {
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const raw = connect({ host: peer.host, port: peer.port });
    let opened = raw;
    const fail = () => {
      raw.destroy();
      reject(new Error('no connection'));
      // What is said of one that was given up is of no interest.
      if (opened === socket) heard(null);
    };
    const late = setTimeout(() => {
      reject(LATE);
      fail();
    }, ANSWER_MS);
    raw.on('error', fail);
    raw.on('close', fail);
    raw.once('connect', () => {
      raw.setNoDelay(true);
      if (peer.as !== null) raw.write(proxyLine(peer.as, peer.port));
      if (peer.tls) {
        opened = connectTls({ socket: raw, rejectUnauthorized: false });
        opened.on('error', fail);
        opened.on('close', fail);
        opened.once('secureConnect', () => resolve(opened));
      } else resolve(raw);
      opened.on('data', (bytes: Buffer) => opened === socket && heard(bytes));
    });
    return promise.finally(() => clearTimeout(late));
  }

  function close(): void {
    const over = socket;
    socket = null;
    over?.destroy();
  }

  async function once(request: Buffer, hasBody: boolean): Promise<Heard> {
    socket ??= await begin();
    const { promise, resolve } = Promise.withResolvers<Heard>();
    const late = setTimeout(() => resolve(head ?? LATE), ANSWER_MS);
    let [bytes, head, left]: [Buffer, Head | null, number] = [Buffer.alloc(0), null, 0];
    heard = (more) => {
      if (more === null) return resolve(head);
      if (head !== null) {
        left -= more.length;
        if (left <= 0) resolve(head);
        return;
      }
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more]);
      const end = bytes.indexOf(END);
      if (end < 0) return bytes.length > MOST_BYTES ? resolve(null) : undefined;
      const found = parseHead(bytes.toString('latin1', 0, end));
      bytes = bytes.subarray(end + END.length);
      // 103 and the like: the response is still to come.
      if (found && found.status < 200) return heard(Buffer.alloc(0));
      head = found;
      left = found && hasBody ? bodyLength(found) - bytes.length : 0;
      if (head === null || left <= 0 || left > MOST_BYTES) resolve(head);
    };
    socket.write(request);
    const answer = await promise;
    clearTimeout(late);
    // What is not read to its end would be taken for the next response.
    const isOver =
      answer !== null &&
      answer !== LATE &&
      left === 0 &&
      answer.headers.get('connection') !== 'close';
    if (!isOver) close();
    return answer;
  }

  return {
    async open() {
      socket ??= await begin().catch(() => null);
      return socket !== null;
    },
    async ask(request, hasBody) {
      const isUsed = socket !== null;
      const whyNot = (error: unknown) => (error === LATE ? LATE : null);
      const answer = await once(request, hasBody).catch(whyNot);
      // Caddy may have closed a connection that was idle.
      if (answer === null && isUsed) return once(request, hasBody).catch(whyNot);
      return answer;
    },
    close,
  };
}

/** Version 1 of the PROXY protocol (haproxy.org, proxy-protocol.txt). The port of a visitor is of no interest. */
function proxyLine(address: string, port: number): string {
  const [family, own] = isIPv6(address) ? ['TCP6', '::1'] : ['TCP4', '127.0.0.1'];
  return `PROXY ${family} ${address} ${own} 1 ${port}\r\n`;
}

function parseHead(text: string): Head | null {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(first)?.[1]);
  if (Number.isNaN(status)) return null;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(':');
    const [name, value] = [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return { status, headers };
}

/** Bytes; more than anyone reads if it is not known before its end. */
function bodyLength({ status, headers }: Head): number {
  if (status === 204 || status === 304) return 0;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  return Number.isSafeInteger(length) ? length : Number.MAX_SAFE_INTEGER;
}
