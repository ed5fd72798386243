/** The kinds of channels, with the fields of their targets. Pure. */
import type { Channel } from '../lib/types.ts';

export type Kind = Channel['kind'];
type Target = Channel['target'];

export type TargetField = {
  name: keyof Target;
  label: string;
  type: 'text' | 'password' | 'port' | 'security';
  /** Whether a new channel needs it. */
  required: boolean;
  /** Whether it can be removed from a channel that has it. */
  removable?: true;
  help?: string;
  placeholder?: string;
  /** What a new channel starts with. */
  initial?: string;
};

const text = { type: 'text', required: true } as const;
const secret = { type: 'password', required: true } as const;

/** `what` says for whom it is. */
export const KINDS: Readonly<
  Record<Kind, { title: string; what: string; fields: readonly TargetField[] }>
> = {
  ntfy: {
    title: 'ntfy',
    what: 'Phone notifications through ntfy.sh or your own server',
    fields: [
      { ...text, name: 'url', label: 'Server', initial: 'https://ntfy.sh' },
      {
        ...text,
        name: 'topic',
        label: 'Topic',
        help: 'Anyone who knows the topic can read it, unless the server asks for a token.',
      },
      { ...secret, name: 'token', label: 'Access token', required: false, removable: true },
    ],
  },
  gotify: {
    title: 'Gotify',
    what: 'Phone notifications through your Gotify server',
    fields: [
      { ...text, name: 'url', label: 'Server', placeholder: 'https://gotify.example.org' },
      { ...secret, name: 'token', label: 'Application token' },
    ],
  },
  smtp: {
    title: 'Email',
    what: 'Email through your mail server',
    fields: [
      { ...text, name: 'host', label: 'Mail server', placeholder: 'mail.example.org' },
      { name: 'security', label: 'Encryption', type: 'security', required: false },
      { name: 'port', label: 'Port', type: 'port', required: false, removable: true },
      { ...text, name: 'user', label: 'User', required: false, removable: true },
      { ...secret, name: 'password', label: 'Password', required: false, removable: true },
      { ...text, name: 'from', label: 'From', placeholder: 'signalbox@example.org' },
      { ...text, name: 'to', label: 'To', placeholder: 'you@example.org' },
    ],
  },
  webhook: {
    title: 'Webhook',
    what: 'Signed JSON to a URL',
    fields: [
      { ...text, name: 'url', label: 'Address', placeholder: 'https://hooks.example.org/…' },
      {
        ...secret,
        name: 'secret',
        label: 'Secret',
        required: false,
        help: 'Signs the messages; at least 16 characters. Leave empty to generate one, which is shown once.',
      },
    ],
  },
};

/** What is typed into the fields; null: what is stored is to be removed. */
export type Typed = { readonly [name in keyof Target]?: string | null };

/** What the hub shows instead of a secret, or of a part of it. */
const isMasked = (value: string): boolean => value.includes('***');

/** What is stored, as it is shown; empty if nothing is. */
export const shownIn = (target: Target, name: keyof Target): string => String(target[name] ?? '');

/** What a form starts with. @param target as it is shown; null for a new channel */
export const typedFrom = (kind: Kind, target: Target | null): Typed =>
  Object.fromEntries(
    KINDS[kind].fields.map(({ name, initial = '' }) => {
      if (!target) return [name, initial];
      const shown = shownIn(target, name);
      return [name, isMasked(shown) ? '' : shown];
    }),
  );

/** Whether a secret is stored, which stays if the field is left empty. */
export const isKept = (target: Target | null, name: keyof Target): boolean =>
  target !== null && isMasked(shownIn(target, name));

/** The part of a target that is sent: null for what is to be removed, and undefined for what is kept. */
export const targetFrom = (kind: Kind, typed: Typed, target: Target | null): object =>
  Object.fromEntries(
    KINDS[kind].fields.map(({ name, type }) => {
      const value = typed[name];
      if (value) return [name, type === 'port' ? Number(value) : value];
      const stored = target === null ? '' : shownIn(target, name);
      return [name, stored === '' || (value === '' && isMasked(stored)) ? undefined : null];
    }),
  );
