/**
 * Stand-ins for servers that speak no HTTP: each sends the bytes that the server sends, and ends as it does. Those
 * that Debian has are in `programs.ts`.
 */
import type { Socket } from 'node:net';
import { rawPort, type Stops } from './listening.ts';

/**
 * PostgreSQL 15: four bytes of length come first, and `GET ` is none that it takes, so that it closes without a word
 * (`ProcessStartupPacket` in postmaster.c: "invalid length of startup packet").
 */
export const startPostgres = (stops: Stops): Promise<number> =>
  rawPort(stops, (socket) => whenSent(socket, 4, () => socket.end()));

/** OpenSSH: it greets first. */
export const startSsh = (stops: Stops): Promise<number> =>
  rawPort(stops, (socket) => socket.write('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n'));

/** A camera: an answer of RTSP 1.0 (RFC 2326, 7.1.1) to a version that it does not speak. */
export const startCamera = (stops: Stops): Promise<number> =>
  rawPort(stops, (socket) => {
    const answer = 'RTSP/1.0 505 RTSP Version not supported\r\nServer: camera\r\n\r\n';
    socket.on('data', () => socket.end(answer));
  });

/**
 * Minecraft's own server, 1.20: the first byte is the length of a packet (`G`: 71), whose kind (`E`) there is not, and
 * it closes without a word. It waits for the rest of a packet that is too short.
 */
export const startMinecraft = (stops: Stops): Promise<number> =>
  rawPort(stops, (socket) => whenSent(socket, 72, () => socket.end()));

function whenSent(socket: Socket, bytes: number, then: () => void): void {
  let sent = 0;
  socket.on('data', (data) => {
    sent += data.length;
    if (sent >= bytes) then();
  });
}

/** Accepts every connection, takes all that comes, and never says a word. */
export const startMute = (stops: Stops): Promise<number> => rawPort(stops, () => {});

/** Closes every connection at once. */
export const startClosing = (stops: Stops): Promise<number> =>
  rawPort(stops, (socket) => socket.destroy());
