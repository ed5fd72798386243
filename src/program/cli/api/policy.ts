/** `signalbox policy list|put|rm`: the policies of the hub running on this machine. */
import type { Static } from 'elysia';
import type { PolicyView } from '../../../hub/api/policies.ts';
import { nearest } from '../../../shared/nearest.ts';
import { visible } from '../../visible.ts';
import type { Cli, Command, Given } from '../command.ts';
import {
  askLocalHub,
  jsonLine,
  Refused,
  readGiven,
  usingHub,
  type Warned,
  warnOf,
} from './local-hub.ts';
import { listSites, type Site, siteWith } from './sites.ts';

type Policy = Static<typeof PolicyView>;

/** The domains of the sites to which it applies are added to what the hub says. */
type Shown = Policy & { domains: string[] };

const ACTIONS = ['list', 'put', 'rm'];

/** The options that only `put` takes. */
const PLACING = ['site', 'everywhere', 'except'];

/** What a file may say. The rest of a policy in `policy list --json` may stand there, but says nothing. */
const FIELDS = ['recipe', 'values', 'everywhere'];
const IGNORED = ['id', 'source', 'name', 'vhosts', 'domains', 'createdAt', 'updatedAt'];

export const policy: Command = {
  name: 'policy',
  args: [
    { name: 'ACTION', words: ACTIONS },
    { name: 'NAME', optional: true },
    { name: 'FILE', optional: true },
  ],
  options: {
    site: { summary: 'put: also apply it to these sites', takes: 'DOMAIN,…' },
    everywhere: { summary: 'put: apply it to every site, also to new ones' },
    except: { summary: 'put: do not apply it to these sites', takes: 'DOMAIN,…' },
    json: { summary: 'print JSON' },
  },
  summary: 'list, create, change and remove policies',
  help: `signalbox policy list
signalbox policy put NAME FILE         creates or changes it; FILE may be - for standard input
signalbox policy put NAME --site a.example,b.example
signalbox policy rm NAME               only if no site has it

FILE is JSON, such as {"recipe": "allow", "values": {"networks": ["private_ranges"]}}. If the policy
exists, the values replace its values, but users without a password keep theirs. The policy and the
sites are one change: one publish and one undo, all or nothing.

Prints the policy, or all of them: name, recipe, everywhere or sites, and the domains to which it
applies, separated by tabs. Passwords are never printed. The hub must be running with the same
DATA_DIR. You need no password, but must be root or the user who runs the hub.
`,
  run: (given, cli) =>
    usingHub({ command: 'policy', wrong: whyWrong(given), run: () => carryOut(given, cli) }, cli),
};

/** Null if the words fit together. */
function whyWrong({ args: [action = '', name, file], has }: Given): string | null {
  if (action === 'list' && name !== undefined) return 'list takes no NAME';
  if (action !== 'list' && name === undefined) return `${action} needs a NAME`;
  const option = PLACING.find(has);
  if (action !== 'put' && file !== undefined) return `${action} takes no FILE`;
  if (action !== 'put' && option !== undefined) return `--${option} is only for put`;
  if (action === 'put' && file === undefined && option === undefined) {
    return 'put needs a FILE, --site, --everywhere or --except';
  }
  return null;
}

/** @throws Refused */
async function carryOut(given: Given, cli: Cli): Promise<void> {
  const [action, name = ''] = given.args;
  const fields = action === 'put' ? await fieldsIn(given.args[2]) : {};
  const { body: policies } = await askLocalHub<Policy[]>(cli.env, { path: '/policies' });
  const sites = await listSites(cli);
  const domains = new Map(sites.map(({ id, domain }) => [id, domain]));
  const shown = (one: Policy): Shown => ({
    ...one,
    domains: one.vhosts.flatMap((id) => domains.get(id) ?? []),
  });
  let answer: Shown | Shown[];
  if (action === 'list') answer = policies.map(shown);
  else if (action === 'rm') answer = shown(await remove(policyNamed(name, policies), cli));
  else answer = shown(await put(given, fields, { policies, sites }, cli));
  cli.out(given.has('json') ? jsonLine(answer) : [answer].flat().map(row).join(''));
}

type Fields = Partial<Pick<Policy, 'recipe' | 'values' | 'everywhere'>>;

/** What a file says of a policy; nothing without one. Never repeats it. @throws Refused */
async function fieldsIn(file: string | undefined): Promise<Fields> {
  if (file === undefined) return {};
  const text = await readGiven(file);
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Refused({ message: `${file} is not JSON` });
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Refused({ message: `${file} is no JSON object with the fields of a policy` });
  }
  const stray = Object.keys(given).find((name) => ![...FIELDS, ...IGNORED].includes(name));
  if (stray !== undefined) {
    const near = nearest(stray, FIELDS);
    throw new Refused({
      message: `a policy has no field ${stray}`,
      hint: near === undefined ? `It has ${FIELDS.join(', ')}.` : `Did you mean ${near}?`,
    });
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => FIELDS.includes(name)));
}

/** @throws Refused, naming the policy that was probably meant */
function policyNamed(name: string, policies: readonly Policy[]): Policy {
  const found = policies.find((one) => one.name === name);
  if (found) return found;
  const near = nearest(
    name,
    policies.map((one) => one.name),
  );
  throw new Refused({
    code: 'NOT_FOUND',
    message: `There is no policy ${name}.`,
    ...(near !== undefined && { hint: `Did you mean ${near}?` }),
  });
}

/** @throws Refused */
async function remove(one: Policy, { env, progress }: Cli): Promise<Policy> {
  const request = { method: 'DELETE', path: `/policies/${one.id}` } as const;
  await progress.during('publishing', askLocalHub(env, request));
  return one;
}

/**
 * Creates a policy or changes it, with the sites that get or lose it, in one publish.
 * @param there what the change is based on: it is refused if that has changed
 * @throws Refused
 */
async function put(
  { args: [, name = '', file], has, value }: Given,
  fields: Fields,
  there: { policies: readonly Policy[]; sites: readonly Site[] },
  cli: Cli,
): Promise<Policy> {
  const isNew = file !== undefined && !there.policies.some((one) => one.name === name);
  const known = isNew ? null : policyNamed(name, there.policies);
  const { recipe, ...changes } = { ...fields, ...(has('everywhere') && { everywhere: true }) };
  if (known && recipe !== undefined && recipe !== known.recipe) {
    throw new Refused({ message: `${name} has the recipe ${known.recipe}, which stays as it is` });
  }
  if (!known && recipe === undefined) {
    throw new Refused({ message: `${file} names no recipe, which a new policy needs` });
  }
  const named = (option: string) =>
    (value(option)?.split(',') ?? []).map((domain) => siteWith(domain, there.sites));
  const [gaining, losing] = [named('site'), named('except')];
  const both = gaining.find((site) => losing.includes(site));
  if (both) throw new Refused({ message: `--site and --except both name ${both.domain}` });
  const isEverywhere = changes.everywhere ?? known?.everywhere ?? false;
  const without = (names: readonly string[]) => names.filter((one) => one !== name);
  const placed = [
    ...gaining.map(({ policies, except, ...site }) => {
      const isNamed = isEverywhere || policies.includes(name);
      return {
        ...site,
        policies: isNamed ? policies : [...policies, name],
        except: without(except),
      };
    }),
    ...losing.map(({ policies, except, ...site }) => ({
      ...site,
      policies: without(policies),
      except: isEverywhere ? [...without(except), name] : except,
    })),
  ];
  const read = [...gaining, ...losing];
  const body = {
    operations: [
      { op: 'policy', ...(known ? { id: known.id } : { name, recipe }), ...changes },
      ...placed.map(({ id, policies, except }) => ({ op: 'update', id, policies, except })),
    ],
    expects: {
      policies: known ? [{ id: known.id, name, everywhere: known.everywhere }] : [],
      vhosts: read.map(({ id, policies, except }) => ({ id, policies, except })),
    },
  };
  const request = { method: 'POST', path: '/vhosts/bulk', body } as const;
  const sent = askLocalHub<Warned & { results: [Policy & Warned] }>(cli.env, request);
  const { results, ...outcome } = (
    await cli.progress.during('publishing', sent).catch((error) => {
      throw error instanceof Refused ? uncounted(error) : error;
    })
  ).body;
  const [{ warnings, ...changed }] = results;
  warnOf({ ...outcome, ...(warnings && { warnings }) }, cli);
  return changed;
}

/** Without the number of an operation: whoever typed the command made none. */
function uncounted({ refusal: { detail, ...refusal } }: Refused): Refused {
  const rest = detail?.replace(/^operation \d+(, |: )/, '');
  const isMore = rest !== undefined && rest !== refusal.message;
  return new Refused({ ...refusal, ...(isMore && { detail: rest }) });
}

const row = ({ name, recipe, everywhere, domains }: Shown): string =>
  `${[name, recipe, everywhere ? 'everywhere' : 'sites', domains.join(',')].map(visible).join('\t')}\n`;
