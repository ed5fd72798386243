/** An operation as a line for the shell. Pure. */
import { list, mediaOf, object, type Placed, text } from './placed.ts';

const quoted = (words: string): string => `'${words.replaceAll("'", "'\\''")}'`;

/** What `$HUB` ends with. */
const BASE = '/api';

/** `$HUB` is where the interface begins, `$TOKEN` the caller's; the first example is the body. */
export function curlOf({ method, path, operation }: Placed): string {
  const filled = list(operation.parameters).reduce(
    (url, one) => url.replace(`{${text(one.name)}}`, String(one.example ?? '')),
    path.startsWith(`${BASE}/`) ? `$HUB${path.slice(BASE.length)}` : `\${HUB%${BASE}}${path}`,
  );
  const [, body] = mediaOf(object(operation.requestBody));
  const [first] = Object.values(object(body.examples));
  const [type] = mediaOf(object(object(operation.responses)['200']));
  return [
    'curl',
    // Else it keeps events to itself until there are many.
    ...(type === 'text/event-stream' ? ['-N'] : []),
    ...(method === (first === undefined ? 'get' : 'post') ? [] : [`-X ${method.toUpperCase()}`]),
    ...(list(operation.security).length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `"${filled}"`,
    ...(first === undefined ? [] : [`-d ${quoted(JSON.stringify(object(first).value))}`]),
  ].join(' ');
}
