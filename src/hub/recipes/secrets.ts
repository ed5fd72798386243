/** Passwords in values: hashed before they are queued, kept over changes, never shown. */
import type { TSchema } from 'elysia';
import { createConcurrencyLimit } from '../../shared/async.ts';
import type { Values } from './recipe.ts';
import { recipeOf } from './registry.ts';
import { invalidValue } from './values.ts';

/**
 * That of the decoy by which Caddy checks a password for a name that does not exist: with another one,
 * the time that an answer takes would show which names do.
 */
const COST = 14;

/** Each takes a second or more of a core, and sign-ins need one too. */
const hashing = createConcurrencyLimit({ concurrency: 2 });

type Item = Readonly<Record<string, unknown>>;
/** The items of a list that have secrets; `places` lead to them, such as `users.0`. */
type SecretList = { field: string; secrets: readonly string[]; items: readonly Item[] };

/**
 * The values with a `hash` in place of each `password`. The values must be valid.
 * @param recipe its id
 * @param stored whose hashes stay if they are of the same passwords
 */
export async function hashSecrets(
  recipe: string,
  values: Values,
  stored: Values | null = null,
): Promise<Values> {
  const known = secretLists(recipe, stored ?? {});
  const lists = await Promise.all(
    secretLists(recipe, values).map(async ({ field, items }) => {
      const all = items.map((item) => hashed(item, hashIn(known, field, item)));
      return [field, await Promise.all(all)] as const;
    }),
  );
  return { ...values, ...Object.fromEntries(lists) };
}

/** How many passwords `hashSecrets` would have to hash, or to compare with a hash. */
export const passwordsIn = (recipe: string, values: Values): number =>
  secretLists(recipe, values)
    .flatMap(({ items }) => items)
    .filter(({ password }) => password !== undefined).length;

async function hashed(item: Item, known: unknown): Promise<Item> {
  const { password, ...rest } = item;
  if (typeof password !== 'string') return item;
  const isKnown = () => Bun.password.verify(password, String(known), 'bcrypt').catch(() => false);
  if (known !== undefined && (await hashing(isKnown))) return { ...rest, hash: known };
  const hash = () => Bun.password.hash(password, { algorithm: 'bcrypt', cost: COST });
  return { ...rest, hash: await hashing(hash) };
}

/** The hash of the item with the same name. */
const hashIn = (lists: readonly SecretList[], field: string, { name }: Item): unknown =>
  lists.find((list) => list.field === field)?.items.find((item) => item.name === name)?.hash;

/**
 * The values with the stored hash of each item of the same name that came without one.
 * @param recipe its id
 * @param stored null for a new policy
 * @throws Failure INVALID_REQUEST, at `users.0.password`, if an item is left without a hash
 */
export function keepSecrets(recipe: string, values: Values, stored: Values | null): Values {
  const before = secretLists(recipe, stored ?? {});
  const lists = secretLists(recipe, values).map(({ field, items }) => {
    const kept = items.map((item, index) => {
      const hash = item.hash ?? hashIn(before, field, item);
      if (hash === undefined) throw invalidValue(`${field}.${index}.password`, 'It is missing.');
      return { ...item, hash };
    });
    return [field, kept] as const;
  });
  return { ...values, ...Object.fromEntries(lists) };
}

/**
 * The values as they may be shown; nothing of a recipe that this version does not know.
 * @param recipe its id
 */
export function withoutSecrets(recipe: string, values: Values): Values {
  if (!recipeOf(recipe)) return {};
  const lists = secretLists(recipe, values).map(({ field, secrets, items }) => {
    const shown = (item: Item) =>
      Object.fromEntries(Object.entries(item).filter(([key]) => !secrets.includes(key)));
    return [field, items.map(shown)] as const;
  });
  return { ...values, ...Object.fromEntries(lists) };
}

/** The lists in the values whose items have fields that are `writeOnly`. */
function secretLists(recipe: string, values: Values): SecretList[] {
  const fields: Record<string, TSchema> = recipeOf(recipe)?.fields.properties ?? {};
  return Object.entries(fields).flatMap(([field, { items }]) => {
    const properties: Record<string, TSchema> = items?.properties ?? {};
    const secrets = Object.keys(properties).filter((key) => properties[key]?.writeOnly);
    const list = values[field];
    return secrets.length > 0 && Array.isArray(list) ? [{ field, secrets, items: list }] : [];
  });
}
