/** Reads and changes policies, puts them on sites, and says what they are in words. */
import { ApiError, send, wordsOf } from '../lib/api.ts';
import { type Relabelled, relabel, relabelAfter } from '../lib/relabel.ts';
import type { Policy, Vhost } from '../lib/types.ts';
import { fieldsOf, type JsonSchema, type Values } from '../recipes/schema.ts';

export type NewPolicy = Pick<Policy, 'name' | 'recipe' | 'values'> & { everywhere?: boolean };

type Placed = Pick<NewPolicy, 'name' | 'recipe' | 'everywhere'>;

/**
 * What puts a policy on some sites, and takes it off the others that are changed: one that applies
 * everywhere is left out there.
 */
export const placing =
  ({ name, recipe, everywhere = false }: Placed, on: readonly number[]) =>
  ({ id, policies, except }: Vhost): Partial<Pick<Vhost, 'policies' | 'except'>> => {
    const others = policies.filter((one) => one !== name);
    if (!everywhere) {
      return { policies: on.includes(id) ? withPolicy(policies, name, recipe) : others };
    }
    if (on.includes(id)) return { except: except.filter((one) => one !== name) };
    return { policies: others, except: except.includes(name) ? except : [...except, name] };
  };

/** Puts a policy on sites, and takes it off others. @throws ApiError; no site is changed then */
export const place = (
  policy: Placed,
  on: readonly number[],
  off: readonly number[] = [],
): Promise<Relabelled> => relabel([...on, ...off], placing(policy, on));

/** Creates a policy and puts it on sites, in one change. @throws ApiError; nothing is changed then */
export async function createOn(
  fresh: NewPolicy,
  on: readonly number[],
  off: readonly number[] = [],
): Promise<{ policy: Policy; placed: Relabelled }> {
  const [policy, placed] = await relabelAfter<Policy>(
    { op: 'policy', ...fresh },
    [...on, ...off],
    placing(fresh, on),
  );
  const undo = async () => {
    await placed.undo();
    await send('DELETE', `/policies/${policy.id}`);
  };
  return { policy, placed: { ...placed, undo } };
}

/** Changes a policy and where it applies, in one change. @throws ApiError; nothing is changed then */
export const changeOn = (
  id: number,
  policy: NewPolicy,
  on: readonly number[],
  off: readonly number[],
): Promise<unknown> => {
  const { recipe: _, ...fields } = policy;
  return relabelAfter({ op: 'policy', id, ...fields }, [...on, ...off], placing(policy, on));
};

/** Reverts the first of two changes whose second was refused. @throws Error if that fails as well */
export async function cleanUp(
  reason: unknown,
  name: string,
  revert: () => Promise<unknown>,
): Promise<void> {
  // Nobody knows what became of a request without an answer.
  const isOpen = reason instanceof ApiError && reason.status === 0;
  const isReverted =
    !isOpen &&
    (await revert().then(
      () => true,
      () => false,
    ));
  if (isReverted) return;
  throw new Error(`The policy ${name} was saved, but is not on the sites. ${wordsOf(reason)}`);
}

type Start = { name: string; values?: Values };

/** By the recipe: a name, and values that most people want. */
const STARTS: Partial<Record<string, Start>> = {
  'basic-auth': { name: 'password' },
  allow: { name: 'lan-only', values: { networks: ['private_ranges'] } },
  block: { name: 'blocked' },
  authelia: { name: 'sign-in' },
  authentik: { name: 'sign-in' },
  'forward-auth': { name: 'sign-in' },
};

/** Those that most people look for first. */
export const COMMON: readonly string[] = ['basic-auth', 'allow', 'authelia', 'maintenance'];

/** @param taken the names of other policies */
export function startOf(recipe: string, taken: readonly string[]): Required<Start> {
  const { name, values = {} } = STARTS[recipe] ?? { name: recipe };
  return { name: freeName(name, taken), values };
}

/** The name, with the first number that makes it a new one. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

/** What a policy does in short: its values by their titles, such as `Networks: private_ranges`. */
export function summaryOf(fields: JsonSchema | undefined, values: Values): string {
  return fieldsOf(fields ?? {})
    .map(({ name, schema }) => ({ title: schema.title ?? name, text: textOf(values[name]) }))
    .filter(({ text }) => text !== '')
    .map(({ title, text }) => (text === 'yes' ? title : `${title}: ${text}`))
    .join(' · ');
}

/** Entries of a list that are named. */
const NAMED = 3;

/** A value in a few words; empty if there is nothing to say. */
function textOf(value: unknown): string {
  if (value === undefined || value === null || value === false) return '';
  if (value === true) return 'yes';
  if (!Array.isArray(value)) return String(value);
  const names = value.map((item) => (isNamed(item) ? item.name : String(item)));
  const more = names.length - NAMED;
  return `${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const isNamed = (item: unknown): item is { name: string } =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';

/** These come before those that ask for a sign-in: whoever is refused anyway is not asked. */
const FIRST: readonly string[] = ['headers', 'block', 'robots', 'allow', 'maintenance'];

/** The policies of a site with one more. */
export const withPolicy = (names: readonly string[], name: string, recipe: string): string[] => {
  if (names.includes(name)) return [...names];
  return FIRST.includes(recipe) ? [name, ...names] : [...names, name];
};
