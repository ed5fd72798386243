/** A change of one vhost on the wire: one of several in a bulk request, or one to preview. */
import { type Static, t } from 'elysia';
import { type Change, createChange, deleteChange, toggleChange, updateChange } from './changes.ts';
import type { Vhost } from './vhost.ts';

export const NewVhost = {
  domain: t.String(),
  config: t.String(),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
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

export function changeOf(operation: Static<typeof Operation>): Change<Vhost | { success: true }> {
  switch (operation.op) {
    case 'create':
      return createChange(operation);
    case 'update':
      return updateChange(operation.id, operation);
    case 'delete':
      return deleteChange(operation.id);
    case 'toggle':
      return toggleChange(operation.id);
  }
}
