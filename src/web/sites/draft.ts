/** What the form holds, and what of it is sent. Pure. */
import type { Vhost } from '../lib/types.ts';

export type Draft = Pick<Vhost, 'domain' | 'upstream' | 'config' | 'enabled'>;

/** What a new site starts with. */
export const EMPTY: Draft = {
  domain: '',
  upstream: '',
  config: 'reverse_proxy {upstream}',
  enabled: true,
};

export const draftOf = ({ domain, upstream, config, enabled }: Vhost): Draft => ({
  domain,
  upstream,
  config,
  enabled,
});

export const FIELDS = ['domain', 'upstream', 'config', 'enabled'] as const;

/** The fields in which two states of a site differ. */
export const changedFields = (a: Draft, b: Draft): (typeof FIELDS)[number][] =>
  FIELDS.filter((field) => a[field] !== b[field]);

/** Only the fields that differ from `base`: what somebody else changed meanwhile stays. */
export const changesFrom = (base: Draft, draft: Draft): Partial<Draft> =>
  Object.fromEntries(changedFields(base, draft).map((field) => [field, draft[field]]));

/** Whether there is enough to ask the proxy about. */
export const isAskable = ({ domain, config, upstream }: Draft): boolean =>
  domain.trim() !== '' &&
  config.trim() !== '' &&
  (upstream.trim() !== '' || !config.includes('{upstream}'));
