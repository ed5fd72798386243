/** The Caddyfile of one site that need not be stored. Pure. */
import { render } from '../caddyfile/render.ts';
import { normalize, type VhostInput } from '../model/vhost.ts';

/** The site under a preamble, as if it were the only one. @throws Failure INVALID_REQUEST */
export function draftCaddyfile(preamble: string, draft: VhostInput): string {
  const { domain = '', config = '', upstream = '' } = draft;
  return render(preamble, [{ id: 0, enabled: true, ...normalize(domain, config, upstream) }]).text;
}
