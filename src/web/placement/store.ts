/** Changes policies, puts them on sites, and says what they are in words. */
import { changedBy, type Relabelled, relabel, updatesOf } from '../lib/relabel.ts';
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

/** Creates a policy and puts it on sites, in one change. @throws ApiError; nothing is changed then */
export async function createOn(
  fresh: NewPolicy,
  on: readonly number[],
  off: readonly number[] = [],
): Promise<{ policy: Policy; placed: Relabelled }> {
  const lead = { first: { op: 'policy', ...fresh } };
  const { result, ...placed } = await relabel<Policy>([...on, ...off], placing(fresh, on), lead);
  return { policy: result as Policy, placed };
}

/**
 * Changes a policy and where it applies, in one change.
 * @param seen the policy as it was read
 * @returns the group of the changes
 * @throws ApiError; nothing is changed then: PRECONDITION_FAILED if someone else has changed it
 */
export async function changeOn(
  seen: Policy,
  fields: Partial<Pick<Policy, 'name' | 'values' | 'everywhere'>>,
  on: readonly number[],
  off: readonly number[] = [],
): Promise<number | null> {
  const { everywhere = seen.everywhere } = fields;
  // Last: until then, the sites have it by the name that was read.
  const last = { op: 'policy', id: seen.id, ...fields };
  const place = placing({ ...seen, everywhere }, on);
  return (await relabel([...on, ...off], place, { last, seen: [seen] })).group;
}

/**
 * What these two would do, as operations.
 * @param policy as it is stored; for a new one with what it will be
 * @param sites as they were read
 */
export function operationsOn(
  policy: Placed & { id?: number },
  fields: Partial<NewPolicy>,
  sites: readonly Vhost[],
  on: readonly number[],
): object[] {
  const { id, recipe } = policy;
  const { everywhere = false } = { ...policy, ...fields };
  const all = sites.map((site) => site.id);
  const updates = updatesOf(changedBy(placing({ ...policy, everywhere }, on), sites, all));
  return id === undefined
    ? [{ op: 'policy', recipe, ...fields }, ...updates]
    : [...updates, { op: 'policy', id, ...fields }];
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
export function summaryOf(fields: JsonSchema | undefined, values: Values = {}): string {
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
