/** An operation as a curl command. Pure. */
import { object } from '../../shared/json.ts';
import { type LocatedOperation, list, mediaOf, text } from './accessors.ts';

const quoted = (words: string): string => `'${words.replaceAll("'", "'\\''")}'`;

/** What `$HUB` ends with. */
const BASE = '/api';

/** `$HUB` is the API's base URL, `$TOKEN` the caller's token; the body is the first example. */
export function curlOf({ method, path, operation }: LocatedOperation): string {
  const filled = list(operation.parameters).reduce(
    (url, one) => url.replace(`{${text(one.name)}}`, String(one.example ?? '')),
    path.startsWith(`${BASE}/`) ? `$HUB${path.slice(BASE.length)}` : `\${HUB%${BASE}}${path}`,
  );
  const [, body] = mediaOf(object(operation.requestBody));
  const [first] = Object.values(object(body.examples));
  const [type] = mediaOf(object(object(operation.responses)['200']));
  return [
    'curl',
    // Without it, curl buffers events.
    ...(type === 'text/event-stream' ? ['-N'] : []),
    ...(method === (first === undefined ? 'get' : 'post') ? [] : [`-X ${method.toUpperCase()}`]),
    ...(list(operation.security).length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    `"${filled}"`,
    ...(first === undefined ? [] : [`-d ${quoted(JSON.stringify(object(first).value))}`]),
  ].join(' ');
}
