/** The kinds of channels, with the fields of their targets. Pure. */

import type { FieldSpec } from '../../../web/parts/field-of.tsx';
import type { ChannelView } from '../schema.ts';
import { CHANNEL_FORMS } from './channel-forms.ts';

export type Kind = ChannelView['kind'];
type Target = ChannelView['target'];

/** `value` is what a new channel starts with. */
export type TargetField = Pick<
  FieldSpec,
  'label' | 'type' | 'required' | 'help' | 'placeholder' | 'value' | 'options' | 'min' | 'max'
> & {
  name: keyof Target;
  /** Whether it can be removed from a channel that has it. */
  removable: boolean;
};

/** `what` says for whom it is. */
export const KINDS: Readonly<
  Record<Kind, { title: string; what: string; fields: readonly TargetField[] }>
> = CHANNEL_FORMS;

/** What is typed into the fields; null: what is stored is to be removed. */
type Typed = { readonly [name in keyof Target]?: string | null };

/** What the hub shows instead of a secret, or of a part of it. */
const isMasked = (value: string): boolean => value.includes('***');

/** What is stored, as it is shown; empty if nothing is. */
export const shownIn = (target: Target, name: keyof Target): string => String(target[name] ?? '');

/** What a form starts with. @param target as it is shown; null for a new channel */
export const typedFrom = (kind: Kind, target: Target | null): Typed =>
  Object.fromEntries(
    KINDS[kind].fields.map(({ name, value = '' }) => {
      if (!target) return [name, value];
      const shown = shownIn(target, name);
      return [name, isMasked(shown) ? '' : shown];
    }),
  );

/** Whether a secret is stored, which stays if the field is left empty. */
export const isKept = (target: Target | null, name: keyof Target): boolean =>
  target !== null && isMasked(shownIn(target, name));

/** Whether something was typed that leads elsewhere. @param target as it is shown; null for a new channel */
export function isChanged(kind: Kind, typed: Typed, target: Target | null): boolean {
  const shown = typedFrom(kind, target);
  // Of a choice, an input shows the first if none is stored.
  return KINDS[kind].fields.some(
    ({ name, options }) => typed[name] !== (shown[name] || options?.[0]?.value || ''),
  );
}

/** The part of a target that is sent: null for what is to be removed, and undefined for what is kept. */
export const targetFrom = (kind: Kind, typed: Typed, target: Target | null): object =>
  Object.fromEntries(
    KINDS[kind].fields.map(({ name, type }) => {
      const value = typed[name];
      if (value) return [name, type === 'number' ? Number(value) : value];
      const stored = target === null ? '' : shownIn(target, name);
      return [name, stored === '' || (value === '' && isMasked(stored)) ? undefined : null];
    }),
  );
