/** Sends a datagram to a unix socket, through libc: Bun has no datagram sockets of that kind. */
import { FFIType } from 'bun:ffi';
import { openLibc } from '../../shared/system/libc.ts';

/** socket(2) and send(2), as Linux defines them on x86-64 and arm64. */
const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 2 | 0o2000000;
const MSG_NOSIGNAL = 0x4000;

/** Opened with the first datagram: most runs of the program send none. */
let library: ReturnType<typeof openLibrary> | undefined;

/**
 * @param socket a path, or `@` and a name in the abstract namespace (sd_notify(3))
 * @throws Error if it cannot be sent
 */
export function sendDatagram(socket: string, text: string): void {
  library ??= openLibrary();
  const { socket: open, sendto, close } = library.symbols;
  const fd = open(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  if (fd < 0) throw new Error('cannot open a unix socket');
  try {
    const bytes = Buffer.from(text);
    const address = addressOf(socket);
    const sent = sendto(fd, bytes, bytes.length, MSG_NOSIGNAL, address, address.length);
    if (Number(sent) !== bytes.length) throw new Error('the socket did not accept the datagram');
  } finally {
    close(fd);
  }
}

/** A sockaddr_un (unix(7)): the family in two bytes, then the name, up to the address's length. */
function addressOf(socket: string): Buffer {
  const name = Buffer.from(socket);
  if (socket.startsWith('@')) name[0] = 0;
  return Buffer.concat([Buffer.from([AF_UNIX, 0]), name]);
}

const openLibrary = () =>
  openLibc({
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    sendto: {
      args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i64,
    },
    close: { args: [FFIType.i32], returns: FFIType.i32 },
  });
