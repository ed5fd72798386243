/** Says which sites a publish took from the proxy that the hub has not stored. Pure. */
import { hostsOf } from './foreign.ts';
import type { Json, JsonObject } from './json.ts';

/** How many are named in a sentence. */
const MOST_NAMED = 20;

/**
 * @param previous the configuration that was live, as JSON text
 * @param next what replaced it
 */
export function withdrawnSentence(previous: string, next: JsonObject): string {
  const gone = [...hostsOf(JSON.parse(previous) as Json).difference(hostsOf(next))];
  const more = gone.length > MOST_NAMED ? ` and ${gone.length - MOST_NAMED} more` : '';
  const named = gone.slice(0, MOST_NAMED).join(', ') + more;
  return `The hub started with other sites than those in the Caddyfile, and replaced it${
    named && `, withdrawing ${named}`
  }. The old Caddyfile is kept beside it as Caddyfile.changed-….`;
}
