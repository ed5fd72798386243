/** Stands in for somebody on the way to a mail server who hides that it offers STARTTLS. */
import { connect, createServer } from 'node:net';

/** @param to the port of the mail server @returns the port to use in its place */
export async function startWithoutStartTls(
  to: number,
): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    near.pipe(far);
    far.on('data', (data) => {
      near.write(data.toString('latin1').replace(/^250-STARTTLS\r\n/m, ''), 'latin1');
    });
    far.on('close', () => near.destroy());
    for (const socket of [near, far]) socket.on('error', () => {});
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    stop: () => new Promise((done) => server.close(() => done())),
  };
}
