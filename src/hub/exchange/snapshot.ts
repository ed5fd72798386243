/** Preamble and vhosts as one document, and back. */
import { type Static, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import {
  type Change,
  createChange,
  deleteChange,
  preambleChange,
  sequence,
} from '../publish/changes.ts';
import type { SiteSet } from '../publish/vhost.ts';

/** Vhosts in the order they are rendered; accounts and history are not part of it. */
export const Snapshot = t.Object(
  {
    version: t.Literal(1),
    preamble: t.String(),
    vhosts: t.Array(
      t.Object({
        domain: t.String(),
        config: t.String(),
        upstream: t.String(),
        enabled: t.Boolean(),
      }),
    ),
  },
  { title: 'Snapshot' },
);
export type Snapshot = Static<typeof Snapshot>;

export const snapshotOf = ({ preamble, vhosts }: SiteSet): Snapshot => ({
  version: 1,
  preamble,
  vhosts: vhosts.map(({ domain, config, upstream, enabled }) => ({
    domain,
    config,
    upstream,
    enabled,
  })),
});

/**
 * Makes a document the whole set.
 * @param replace whether what is there may go; else only an empty hub takes one
 * @throws Failure, when judged: NOT_EMPTY, and as its parts
 */
export const restoreChange =
  ({ preamble, vhosts }: Snapshot, replace: boolean): Change<unknown> =>
  (set, at) => {
    if (set.vhosts.length > 0 && !replace) {
      throw new Failure(
        'NOT_EMPTY',
        'There are vhosts already; ?replace=true puts these in their place.',
      );
    }
    return sequence<unknown>([
      ...set.vhosts.map(({ id }) => deleteChange(id)),
      preambleChange(preamble),
      ...vhosts.map((vhost) => createChange(vhost)),
    ])(set, at);
  };
