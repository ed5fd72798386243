/**
 * A stand-in for the name server of a network, as a program: `name-server.ts NAME=ADDRESS …` listens on port 53 of
 * loopback. `fails` instead of an address: it has failed itself. There are no other names.
 */
const [NO_ERROR, FAILED, NO_SUCH_NAME] = [0, 2, 3];
const A = 1;

const known = new Map(process.argv.slice(2).map((word) => word.split('=') as [string, string]));

/** @returns the name and kind of a question (RFC 1035, 4.1.2), and where it ends */
function questionOf(query: Buffer): { name: string; kind: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), kind: query.readUInt16BE(at + 1), end: at + 5 };
}

function answerTo(query: Buffer): Buffer {
  const { name, kind, end } = questionOf(query);
  const address = known.get(name);
  const isFound = address !== undefined && address !== 'fails' && kind === A;
  const answer = Buffer.from(query.subarray(0, end));
  answer.writeUInt16BE(0x81_80 | codeFor(address), 2);
  answer.writeUInt16BE(isFound ? 1 : 0, 6);
  // No authorities, and nothing in addition.
  answer.writeUInt32BE(0, 8);
  if (!isFound) return answer;
  // The name is that of the question, for a minute, in four bytes (4.1.3, 4.1.4).
  const record = [0xc0, 0x0c, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)];
  return Buffer.concat([answer, Buffer.from(record)]);
}

function codeFor(address: string | undefined): number {
  if (address === undefined) return NO_SUCH_NAME;
  return address === 'fails' ? FAILED : NO_ERROR;
}

await Bun.udpSocket({
  hostname: '127.0.0.1',
  port: 53,
  socket: {
    data: (socket, query, port, address) => void socket.send(answerTo(query), port, address),
  },
});
console.log('up');
