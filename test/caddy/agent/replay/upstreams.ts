/** Real services on loopback that name themselves: applications, one by FastCGI, and one for signing in. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort, temporaryFolder } from '../../../harness/stack.ts';

export type Services = Awaited<ReturnType<typeof startServices>>;

/** What a request was when it arrived. */
export type Got = { to: string; path: string; user: string };

const APPLICATIONS = 9;
/** What a sign-in service says about whoever is signed in. */
const IDENTITY = { 'Remote-User': 'jane', 'Remote-Groups': 'admins' };
/** The cookie of somebody who is. */
export const SIGNED_IN = 'session=good';

export async function startServices() {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const roots = ['one', 'two'].map((name, at) => rootIn(join(folder, name), at));
  let arrived = 0;
  const servers: Server[] = [];
  async function listen(server: Server): Promise<string> {
    const port = freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    servers.push(server);
    return `127.0.0.1:${port}`;
  }
  const said = (got: Got) => encodeURIComponent(JSON.stringify(got));

  async function application(): Promise<string> {
    const server = createHttpServer((request, response) => {
      arrived++;
      const user = Object.keys(IDENTITY).map((name) => request.headers[name.toLowerCase()] ?? '');
      const got = { to: name, path: request.url ?? '', user: user.join(' ').trim() };
      response.writeHead(200, { 'X-Got': said(got), 'Content-Length': '0' }).end();
    });
    const name = await listen(server);
    return name;
  }
  const signIn: string = await listen(
    createHttpServer((request: IncomingMessage, response) => {
      arrived++;
      const isKnown = request.headers.cookie?.includes(SIGNED_IN) ?? false;
      const refused = { 'X-Got': said({ to: signIn, path: request.url ?? '', user: '' }) };
      response.writeHead(isKnown ? 200 : 401, isKnown ? IDENTITY : refused).end();
    }),
  );
  const php: string = await listen(
    createServer((socket) =>
      answerFastCgi(socket, (path) => {
        arrived++;
        return `X-Got: ${said({ to: `fastcgi://${php}`, path, user: '' })}\r\n\r\n`;
      }),
    ),
  );
  const applications = await Promise.all(Array.from({ length: APPLICATIONS }, application));

  return {
    folder,
    roots,
    applications,
    signIn,
    php,
    /** How many requests they have got. */
    arrived: () => arrived,
    async stop() {
      for (const server of servers) {
        if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
        server.close();
      }
    },
  };
}

function rootIn(folder: string, at: number): string {
  mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o755 });
  const files = { 'index.html': 10, 'files/readme.txt': 20, 'a.css': 30, 'same.txt': 0 };
  for (const [name, length] of Object.entries(files)) {
    writeFileSync(join(folder, name), 'x'.repeat(length + (length > 0 ? at : 5)));
  }
  if (at === 0) writeFileSync(join(folder, 'only-one.txt'), 'here');
  writeFileSync(join(folder, 'index.php'), '<?php');
  return folder;
}

const [END_REQUEST, PARAMS, STDIN, STDOUT] = [3, 4, 5, 6];

/** Answers each request on a connection by FastCGI; Caddy has one at a time on it. */
function answerFastCgi(socket: Socket, answer: (path: string) => string): void {
  let left = Buffer.alloc(0);
  let params = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 8) {
      const [type, id, length] = [left[1], left.readUInt16BE(2), left.readUInt16BE(4)];
      const end = 8 + length + (left[6] ?? 0);
      if (left.length < end) return;
      if (type === PARAMS) params = Buffer.concat([params, left.subarray(8, 8 + length)]);
      if (type === STDIN && length === 0) {
        const all = readParams(params);
        const query = all.QUERY_STRING ? `?${all.QUERY_STRING}` : '';
        const text = answer(`${all.SCRIPT_NAME}${all.PATH_INFO ?? ''}${query}`);
        socket.write(record(STDOUT, id, Buffer.from(text)));
        socket.write(record(STDOUT, id, Buffer.alloc(0)));
        socket.end(record(END_REQUEST, id, Buffer.alloc(8)));
      }
      left = left.subarray(end);
    }
  });
}

function record(type: number, id: number, content: Buffer): Buffer {
  const head = Buffer.from([1, type, id >> 8, id & 255, content.length >> 8, content.length & 255]);
  return Buffer.concat([head, Buffer.alloc(2), content]);
}

function readParams(bytes: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  let at = 0;
  const length = () => {
    const first = bytes[at] ?? 0;
    at += first < 128 ? 1 : 4;
    return first < 128 ? first : bytes.readUInt32BE(at - 4) & 0x7fffffff;
  };
  while (at < bytes.length) {
    const [name, value] = [length(), length()];
    found[bytes.toString('utf8', at, at + name)] = bytes.toString(
      'utf8',
      at + name,
      at + name + value,
    );
    at += name + value;
  }
  return found;
}
