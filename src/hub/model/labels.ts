/** What a vhost is given by name: policies and tags. Pure. */
import { Failure } from '../../shared/failure.ts';
import type { Policy } from '../recipes/policy.ts';
import type { SiteSet } from './vhost.ts';

/** Per vhost. */
export const MAX_TAGS = 20;
/** Characters. */
export const MAX_TAG_LENGTH = 40;

/** The policies of a set by their names, in this order. @throws Failure INVALID_REQUEST */
export function policiesNamed(names: readonly string[], { policies }: SiteSet): Policy[] {
  if (new Set(names).size < names.length) throw invalid('policies', 'A policy is named twice.');
  return names.map((name) => {
    const policy = policies.find((one) => one.name === name);
    if (policy) return policy;
    throw invalid('policies', `There is no policy ${JSON.stringify(name)}.`);
  });
}

/** Tags without spaces around them, each once. @throws Failure INVALID_REQUEST */
export function tagsOf(texts: readonly string[]): string[] {
  const tags = [...new Set(texts.map((text) => text.trim()))];
  if (tags.includes('')) throw invalid('tags', 'A tag is empty.');
  if (tags.some((tag) => tag.length > MAX_TAG_LENGTH)) {
    throw invalid('tags', `A tag has at most ${MAX_TAG_LENGTH} characters.`);
  }
  if (tags.length > MAX_TAGS) throw invalid('tags', `A site has at most ${MAX_TAGS} tags.`);
  return tags;
}

const invalid = (field: 'policies' | 'tags', message: string) =>
  new Failure('INVALID_REQUEST', message, { at: { field } });
