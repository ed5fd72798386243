/** A change of one vhost on the wire: one of several in a bulk request, or one to preview. */
import { type Static, t } from 'elysia';
import { UPSTREAM } from '../../shared/caddyfile/placeholders.ts';
import { Failure } from '../../shared/failure.ts';
import { Check } from '../../shared/wire-check.ts';
import { misspelledUpstream } from '../caddyfile/upstream-hints.ts';
import { type Change, createChange, deleteChange, toggleChange, updateChange } from './changes.ts';
import { MAX_TAG_LENGTH, MAX_TAGS } from './labels.ts';
import type { Vhost, VhostInput } from './vhost.ts';

export const NewVhost = {
  domain: t.String(),
  config: t.String(),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
  policies: t.Optional(
    t.Array(t.String(), {
      description: 'the names of policies, in the order in which they come before the config',
    }),
  ),
  tags: t.Optional(
    t.Array(t.String(), {
      description: `any words to find the vhost by; the proxy does not see them: at most ${MAX_TAGS} of ${MAX_TAG_LENGTH} characters`,
    }),
  ),
  agents: t.Optional(
    t.Array(t.String(), {
      description: 'the names of the agents whose proxies serve it; if empty: all',
    }),
  ),
  check: t.Optional(t.Union([Check, t.Null()])),
};

/** The fields of an update; one that is left out stays as it is. */
export const VhostFields = {
  ...NewVhost,
  domain: t.Optional(NewVhost.domain),
  config: t.Optional(NewVhost.config),
};

export const Operation = t.Union(
  [
    t.Object({ op: t.Literal('create'), ...NewVhost }, { title: 'CreateVhost' }),
    t.Object(
      { op: t.Literal('update'), id: t.Integer(), ...VhostFields },
      { title: 'UpdateVhost' },
    ),
    t.Object({ op: t.Literal('delete'), id: t.Integer() }, { title: 'DeleteVhost' }),
    t.Object({ op: t.Literal('toggle'), id: t.Integer() }, { title: 'ToggleVhost' }),
  ],
  { title: 'Operation' },
);

/**
 * A change with a config that someone wrote just now. What is stored, or was exported, may misspell
 * `{upstream}`: it is accepted as before.
 * @throws Failure, when it is applied: INVALID_REQUEST, and as `change`
 */
export const written =
  <T>({ config = '' }: VhostInput, change: Change<T>): Change<T> =>
  (set, time) => {
    const mistake = misspelledUpstream(config);
    if (mistake === null) return change(set, time);
    throw new Failure('INVALID_REQUEST', `There is no placeholder ${mistake.word}.`, {
      hint: `Did you mean ${UPSTREAM}, which stands for the upstream of the site?`,
      at: { field: 'config', line: mistake.line },
    });
  };

export function changeOf(operation: Static<typeof Operation>): Change<Vhost | { success: true }> {
  switch (operation.op) {
    case 'create':
      return written(operation, createChange(operation));
    case 'update':
      return written(operation, updateChange(operation.id, operation));
    case 'delete':
      return deleteChange(operation.id);
    case 'toggle':
      return toggleChange(operation.id);
  }
}
