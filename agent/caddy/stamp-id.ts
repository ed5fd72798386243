/** The `@id` that the agent writes into what it loads: which Caddyfile it is, and what is closed. Pure. */
import { type Listener, nameOf, parseName } from './ports.ts';

/**
 * What is live: the digest of its Caddyfile, the hub that it is for (null if none said so), and the
 * listeners of that text that it does without.
 */
type LiveStamp = { digest: string; hub: string | null; closed: Listener[] };

type StampParts = { digest: string; hub: string | null; closed?: readonly Listener[] };

/** `rev-DIGEST-hub-ID`, followed by each closed listener after a semicolon. */
export function stampId({ digest, hub, closed = [] }: StampParts): string {
  const revision = hub === null ? `rev-${digest}` : `rev-${digest}-hub-${hub}`;
  return [revision, ...closed.map(nameOf)].join(';');
}

/** @returns null for an id that `stampId` did not make */
export function parseStampId(id: string | null): LiveStamp | null {
  const [revision = '', ...names] = id?.split(';') ?? [];
  const [, digest, hub = null] =
    /^rev-([0-9a-f]{64})(?:-hub-([0-9a-f]{32}))?$/.exec(revision) ?? [];
  return digest === undefined ? null : { digest, hub, closed: names.flatMap(parseName) };
}
