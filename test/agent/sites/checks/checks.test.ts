/** How long a site is asked that has passed a trial. */
import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { runChecks } from '../../../../agent/sites/checks/checks.ts';
import { selfSigned } from '../../../harness/certificate.ts';
import { forFile, serverForFile } from '../../../harness/for-file.ts';
import { startRaw } from '../../../harness/raw-server.ts';

/** How a handshake ends without a certificate: alert 80 of TLS. */
const NO_CERTIFICATE = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 80]);
/** More attempts than fit into 2 s. */
const MANY = 8;

let asked = 0;
let handshakes = 0;
let answer = 200;

const { certificate: cert, key } = await selfSigned(['a.example']);
const site = serverForFile(
  () => {
    asked++;
    return new Response(null, { status: answer });
  },
  { tls: { cert, key } },
);
// A stand-in for a proxy that obtains a certificate: a real authority takes as long as it likes.
const obtaining = await forFile(
  startRaw((socket) => {
    handshakes++;
    if (handshakes <= MANY) return void socket.end(NO_CERTIFICATE);
    const far = connect(site.port ?? 0, '127.0.0.1');
    far.on('error', () => socket.destroy());
    socket.pipe(far).pipe(socket);
  }),
);

async function ask(port: number | undefined, within: number, tried?: number) {
  const target = { name: 'a.example', port: 443, check: { path: '/', within } };
  const [found] = await runChecks([{ ...target, ...(tried === undefined ? {} : { tried }) }], {
    placeOf: () => ({ host: '127.0.0.1', port: port ?? 0, tls: true, name: 'a.example' }),
    userAgent: 'signalbox-check',
    signal: new AbortController().signal,
  });
  return found;
}

test('a site that answers otherwise now is not asked for all of its time', async () => {
  answer = 503;
  expect(await ask(site.port, 15, 10)).toMatchObject({ passed: false, status: 503 });
  expect(asked).toBeLessThan(MANY);
});

test('a site whose certificate is being obtained is', async () => {
  answer = 200;
  expect(await ask(obtaining.port, 15, 10)).toMatchObject({ passed: true, status: 200 });
  expect(handshakes).toBeGreaterThan(MANY);
});
