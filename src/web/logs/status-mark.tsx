/** The mark of a status class: its shape says as much as its colour. */
import type { StatusClass } from '../lib/types.ts';
import { CLASS_WORDS } from './status-class.ts';

export const StatusMark = ({ name }: { name: StatusClass }) => (
  <span class={`status-mark class-${name}`} aria-hidden="true" title={CLASS_WORDS[name]} />
);
