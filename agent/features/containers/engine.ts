/**
 * Asks a container engine, Docker or Podman, through its socket or a proxy of it. What it says may come from
 * anyone who may start containers: it is read up to a limit and a deadline, and GET is all that is ever sent.
 */
import { isDeep, readAtMost } from '../../../src/shared/bounded.ts';
import type { Json } from '../../../src/shared/json.ts';

/** Where an engine listens, as `DOCKER_SOCKET` says it. */
export type EngineAddress = { unix: string } | { url: string };

/** It does not answer as it should; the message says how, for people and without paths. */
export class EngineFault extends Error {}

type Engine = {
  /** @returns null if there is no such thing @throws EngineFault */
  get(path: string, signal: AbortSignal): Promise<Json>;
  /**
   * Follows what happens, until the stream ends.
   * @param seen called once it has begun, and for whatever may change a container
   * @throws EngineFault
   */
  follow(seen: () => void, signal: AbortSignal): Promise<void>;
};

const MIB = 1024 * 1024;
/** A list has all labels, of which one container may have megabytes. */
const ANSWER_BYTES = 32 * MIB;
const DEADLINE_MS = 5_000;
const DEEPEST = 64;
const LINE_BYTES = MIB;
/** Of a stream, in the time below: a storm of restarts has less than a tenth. */
const STREAM_BYTES = 8 * MIB;
const STREAM_MS = 30_000;
const NEWLINE = 0x0a;

/** Health checks do that all the time, and nothing follows from it. */
const IDLE_EVENT = /"Action":\s*"(exec_|health_status|top|attach|resize)/;

/** @param deadline milliseconds that an answer may take */
export function createEngine(address: EngineAddress, deadline = DEADLINE_MS): Engine {
  /** Without a version in the path: Docker 29 refuses the old ones, and Podman the new ones. */
  async function ask(path: string, signal: AbortSignal): Promise<Response> {
    const [base, where] = 'unix' in address ? ['http://engine', address] : [address.url, {}];
    try {
      return await fetch(`${base}${path}`, {
        ...where,
        signal,
        keepalive: false,
        redirect: 'error',
        decompress: false,
        headers: { 'Accept-Encoding': 'identity' },
      });
    } catch (cause) {
      throw new EngineFault(whyNot(cause as NodeJS.ErrnoException), { cause });
    }
  }

  return {
    async get(path, given) {
      const stopping = new AbortController();
      const late = AbortSignal.timeout(deadline);
      const response = await ask(path, AbortSignal.any([given, late, stopping.signal]));
      try {
        if (response.status === 404) return null;
        refuse(response, path);
        const bytes = await readAtMost(readerOf(response), ANSWER_BYTES, () => {
          return new EngineFault('The container engine sends more than 32 MiB.');
        });
        return parse(bytes);
      } catch (cause) {
        if (cause instanceof EngineFault) throw cause;
        throw new EngineFault(whyNot(cause as NodeJS.ErrnoException), { cause });
      } finally {
        stopping.abort();
      }
    },

    async follow(seen, given) {
      const stopping = new AbortController();
      const response = await ask('/events', AbortSignal.any([given, stopping.signal]));
      try {
        refuse(response, '/events');
        seen();
        await eachLine(readerOf(response), (line) => {
          if (!IDLE_EVENT.test(line)) seen();
        });
      } finally {
        stopping.abort();
      }
    },
  };
}

/** @throws EngineFault, for lines that are too long or too many; what the reader fails with */
async function eachLine(reader: Reader, seen: (line: string) => void): Promise<void> {
  let rest = Buffer.alloc(0);
  let [bytes, since] = [0, performance.now()];
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    if (performance.now() - since > STREAM_MS) [bytes, since] = [0, performance.now()];
    bytes += part.value.byteLength;
    rest = Buffer.concat([rest, part.value]);
    const end = rest.lastIndexOf(NEWLINE);
    for (const line of rest.toString('utf8', 0, end + 1).split('\n')) if (line !== '') seen(line);
    rest = rest.subarray(end + 1);
    if (rest.length > LINE_BYTES || bytes > STREAM_BYTES) {
      throw new EngineFault('The container engine floods its events.');
    }
  }
}

type Reader = { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };

function readerOf({ body }: Response): Reader {
  if (body === null) throw new EngineFault('The container engine sends nothing.');
  return body.getReader();
}

/** @throws EngineFault unless it answers 200 */
function refuse({ status }: Response, path: string): void {
  if (status === 200) return;
  const what = path.startsWith('/events') ? '/events' : '/containers';
  const why = status === 403 ? ': let the socket proxy allow it' : '';
  throw new EngineFault(`The container engine answers ${status} to GET ${what}${why}.`);
}

/** @throws EngineFault if it is not JSON */
function parse(bytes: Uint8Array): Json {
  try {
    if (!isDeep(bytes, DEEPEST)) {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json;
    }
  } catch {
    // As below.
  }
  throw new EngineFault('The container engine sends something that is not its JSON.');
}

function whyNot({ code, name }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOENT':
      return 'There is no socket where DOCKER_SOCKET says.';
    case 'EACCES':
    case 'EPERM':
      return 'The agent may not open DOCKER_SOCKET: add its user to the group of the socket.';
    case 'ECONNREFUSED':
      return 'Nothing listens where DOCKER_SOCKET says.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'The host that DOCKER_SOCKET names is not known.';
  }
  return name === 'AbortError' || name === 'TimeoutError'
    ? 'The container engine does not answer in time.'
    : 'The container engine does not answer as it should.';
}
