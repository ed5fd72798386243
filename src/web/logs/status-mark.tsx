/** A class of status as a sign: its shape tells as much as its colour. */
import { CLASS_WORDS } from './status-class.ts';
import type { StatusClass } from './types.ts';

export function StatusMark({ name }: { name: StatusClass }) {
  return <span class={`status-mark class-${name}`} aria-hidden="true" title={CLASS_WORDS[name]} />;
}
