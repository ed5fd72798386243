/** Runs `caddy adapt` in a separate process, for texts that would leave traces in the live one. */
import { proxyUnreachable } from './admin.ts';
import type { JsonObject } from './json.ts';
import type { ValidatorDeps } from './validate.ts';
import { lastErrorOf, rejected } from './words.ts';

/**
 * The global option `order` changes a list that the whole process shares, even if the text is
 * refused (seen on 2.6.2), so every later adaptation in that process would use it. A placeholder
 * may hold the word.
 */
const LEAVES_TRACES = /\border\b|\{\$/;

/** Whether adapting `text` could change how the same process adapts other texts. */
export const leavesTraces = (text: string): boolean => LEAVES_TRACES.test(text);

/**
 * The Caddyfile as JSON.
 * @throws Failure PROXY_REJECTED with the proxy's words; PROXY_UNREACHABLE if it hangs or is missing
 */
export async function adaptApart(text: string, deps: ValidatorDeps): Promise<JsonObject> {
  const words = ['adapt', '--config', '/dev/stdin', '--adapter', 'caddyfile'];
  const args = [...deps.prefix, deps.bin, ...words];
  let child: Bun.Subprocess<Blob, 'pipe', 'pipe'>;
  try {
    child = Bun.spawn(args, {
      env: deps.env,
      // A file, not a pipe: Caddy opens the path again.
      stdin: new Blob([text]),
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: deps.deadline,
      killSignal: 'SIGKILL',
    });
  } catch (cause) {
    throw proxyUnreachable(cause);
  }
  const [json, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (child.signalCode !== null) throw proxyUnreachable(`adapt was killed by ${child.signalCode}`);
  if (code !== 0) throw rejected(lastErrorOf(stderr).replaceAll('/dev/stdin', 'Caddyfile'));
  return JSON.parse(json) as JsonObject;
}
