/** The `@id` that the agent writes into what it loads: which Caddyfile it is, and what is closed. Pure. */
import { type Listener, nameOf, parseName } from './ports.ts';

/** What is live: the digest of its Caddyfile, and the listeners of that text that it does without. */
export type LiveStamp = { digest: string; closed: Listener[] };

type StampParts = { digest: string; closed?: readonly Listener[] };

/** `rev-DIGEST`, followed by each closed listener after a semicolon. */
export const stampId = ({ digest, closed = [] }: StampParts): string =>
  [`rev-${digest}`, ...closed.map(nameOf)].join(';');

/** @returns null for an id that `stampId` did not make */
export function parseStampId(id: string | null): LiveStamp | null {
  const [revision = '', ...names] = id?.split(';') ?? [];
  const digest = /^rev-([0-9a-f]{64})$/.exec(revision)?.[1];
  return digest === undefined ? null : { digest, closed: names.flatMap(parseName) };
}
