/** The policies that come along: checked, hashed, and under names that are free. */

import { policyRecipe } from '../../../hub/model/operation.ts';
import type { SiteSet } from '../../../hub/model/vhost.ts';
import type { Values } from '../../../hub/recipes/recipe.ts';
import { hashSecrets, passwordsIn, withoutSecrets } from '../../../hub/recipes/secrets.ts';
import { checkValues } from '../../../hub/recipes/values.ts';
import { Failure } from '../../../shared/failure.ts';
import type { WantedPolicy } from './access.ts';

/** Each takes a second, in which other passwords wait. */
const MAX_PASSWORDS = 200;

/** In place of the hash of a password, while nothing is stored. */
const NO_HASH = `$2a$14$${'.'.repeat(53)}`;

/** Values as they are stored: but for a dry run, with the hashes of passwords. */
type Prepared = WantedPolicy & { key: string };

/** Equal ones are one policy. */
export const keyOf = (policy: WantedPolicy): string => JSON.stringify(policy);

/** @throws Failure INVALID_REQUEST if there are too many passwords */
export async function prepared(
  wanted: readonly WantedPolicy[],
  { policies }: SiteSet,
  dryRun: boolean,
): Promise<Prepared[]> {
  const all = [...new Map(wanted.map((one) => [keyOf(one), one]))];
  const passwords = all.map(([, { recipe, values }]) => passwordsIn(recipe, values));
  if (passwords.reduce((sum, count) => sum + count, 0) > MAX_PASSWORDS) {
    const message = `The access lists have more than ${MAX_PASSWORDS} passwords together.`;
    const hint = 'Delete users or access lists in NPM that nobody needs any more.';
    throw new Failure('INVALID_REQUEST', message, { hint, at: { field: 'file' } });
  }
  return Promise.all(
    all.map(async ([key, { name, recipe, values }]) => {
      const checked = checkValues(policyRecipe(recipe), values);
      const slug = slugOf(name);
      const same = policies.find((one) => one.name === slug && one.recipe === recipe);
      // Comparing passwords takes as long as hashing them: a dry run takes them for the same.
      const looksSame =
        same !== undefined &&
        Bun.deepEquals(withoutSecrets(recipe, same.values), withoutSecrets(recipe, checked));
      const stored = !dryRun
        ? await hashSecrets(recipe, checked, same?.values)
        : looksSame
          ? same.values
          : withoutPasswords(checked);
      return { key, name: slug, recipe, values: stored };
    }),
  );
}

const withoutPasswords = ({ users, ...values }: Values): Values =>
  Array.isArray(users)
    ? { ...values, users: users.map(({ name }) => ({ name, hash: NO_HASH })) }
    : values;

/** By `keyOf`: the policy of a set that is the same, or one to create under a free name. */
export function namedIn(set: SiteSet, policies: readonly Prepared[]) {
  const names = new Map<string, { name: string; policy: Omit<Prepared, 'key'> | null }>();
  const taken = new Set(set.policies.map(({ name }) => name));
  for (const { key, ...policy } of policies) {
    const same = set.policies.find(
      ({ name, recipe, values }) =>
        name === policy.name && recipe === policy.recipe && Bun.deepEquals(values, policy.values),
    );
    const name = same?.name ?? freeName(policy.name, (one) => taken.has(one));
    taken.add(name);
    names.set(key, { name, policy: same ? null : { ...policy, name } });
  }
  return names;
}

/** Of the letters that the names of policies and certificates have. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_SLUG) || 'npm';

/** Characters: leaves room for a number, in names of 40. */
const MAX_SLUG = 36;

export function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  const slug = slugOf(wanted);
  let name = slug;
  for (let number = 2; isTaken(name); number++) name = `${slug}-${number}`;
  return name;
}
