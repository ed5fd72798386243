/** A change of one vhost as it travels: in a list of changes, or to be previewed. */
import { type Static, t } from 'elysia';
import { type Change, createChange, deleteChange, toggleChange, updateChange } from './changes.ts';
import type { Vhost } from './vhost.ts';

export const NewVhost = {
  domain: t.String(),
  config: t.String(),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
};

export const VhostFields = {
  domain: t.Optional(t.String()),
  config: t.Optional(t.String()),
  upstream: t.Optional(t.String()),
  enabled: t.Optional(t.Boolean()),
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
