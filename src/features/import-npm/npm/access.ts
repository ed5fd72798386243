/** Access lists of Nginx Proxy Manager as policies. Pure. */
import { MAX_NETWORKS } from '../../../hub/recipes/fields.ts';
import type { Values } from '../../../hub/recipes/recipe.ts';
import { admitted, type Gate, gateOf, tooMany } from './clients.ts';
import { EVERYBODY, written } from './networks.ts';
import type { Remark } from './notes.ts';
import type { AccessList } from './rows.ts';
import { type User, usersOf } from './users.ts';

export type WantedPolicy = {
  /** For people; policies of one list have different ones. */
  name: string;
  recipe: 'allow' | 'block' | 'basic-auth' | 'headers';
  /** Valid by the recipe's schema, with passwords in clear. */
  values: Values;
};

export type Protection = {
  /** In the order in which they come before the config. */
  policies: readonly WantedPolicy[];
  /** Whether NPM keeps the visitor's Authorization header from the upstream. */
  stripsAuthorization: boolean;
  /** With one of level `error`, the sites are off until somebody decides. */
  remarks: readonly Remark[];
};

type Draft = Omit<WantedPolicy, 'name'>;

/** What tells the policies of one list apart. */
const SUFFIXES = { allow: 'networks', block: 'blocked', 'basic-auth': 'password', headers: '' };

const REFUSING: Draft = { recipe: 'block', values: { networks: written(EVERYBODY) } };

/** What an access list becomes: never looser than with NPM, unless a remark of level `error` says so. */
export function protectionOf(list: AccessList): Protection {
  const name = list.name.trim() || `Access list ${list.id}`;
  const subject = `The access list “${name}”`;
  const { users, clients } = list;
  if (users.length + clients.length === 0) return open(`${subject} is empty`);
  const gate = clients.length > 0 ? gateOf(clients, 'deny', subject) : null;
  const login = users.length > 0 ? usersOf(users, subject) : null;
  const either = list.satisfies === 'any' && gate && login;
  const { drafts, remarks } = either
    ? oneOf(gate, login.users, subject)
    : allOf(gate, login?.users ?? null);
  return {
    ...finished(name, subject, drafts, [
      ...(gate?.remarks ?? []),
      ...(login?.remarks ?? []),
      ...remarks,
    ]),
    stripsAuthorization: users.length > 0 && !list.passesAuthorization,
  };
}

/** Of a host that names a list that is not there. */
export const missingList = (id: number): Protection => open(`The access list ${id} does not exist`);

/** `allow` and `deny` in the nginx text of one host; the policies are named after its domain. */
export function protectionOfClients(domain: string, clients: AccessList['clients']): Protection {
  const subject = 'The list of “allow” and “deny” in the nginx text';
  const gate = gateOf(clients, 'allow', subject);
  const { drafts, remarks } = allOf(gate, null);
  return {
    ...finished(domain, subject, drafts, [...gate.remarks, ...remarks]),
    stripsAuthorization: false,
  };
}

/** The policy of all hosts with HSTS of a kind: it sets that header alone. */
export const hstsPolicy = (kind: 'host' | 'subdomains'): WantedPolicy => ({
  name: kind === 'host' ? 'HTTPS only' : 'HTTPS only, with subdomains',
  recipe: 'headers',
  values: {
    hsts: true,
    hstsSubdomains: kind === 'subdomains',
    frame: 'allow',
    nosniff: false,
    referrer: 'unchanged',
  },
});

const open = (reason: string): Protection => ({
  policies: [],
  stripsAuthorization: false,
  remarks: [
    {
      level: 'error',
      text: `${reason}, so NPM lets everybody in. If that was not intended, add a policy before you switch the site on.`,
    },
  ],
});

type Made = { drafts: readonly Draft[]; remarks: readonly Remark[] };

/** `satisfy all`: an address that is let in, and then a password. */
function allOf(gate: Gate | null, users: readonly User[] | null): Made {
  const remarks = gate?.doubt ? [gate.doubt] : [];
  if (users?.length === 0) return { drafts: [REFUSING], remarks };
  return {
    drafts: [...(gate ? gateDrafts(gate) : []), ...(users ? [loginDraft(users)] : [])],
    remarks,
  };
}

/** `satisfy any`: an address that is let in needs no password. */
function oneOf(gate: Gate, users: readonly User[], subject: string): Made {
  if (users.length === 0) {
    return { drafts: gate.admits === 'some' ? gateDrafts(gate) : [REFUSING], remarks: [] };
  }
  if (gate.admits === 'some') {
    return { drafts: [loginDraft(users, written(admitted(gate)))], remarks: [] };
  }
  const text = `${subject} has users, but NPM asks nobody for a password, because every address is allowed as well. Once switched on, the site asks everybody.`;
  return {
    drafts: [loginDraft(users)],
    remarks: gate.admits === 'everybody' ? [{ level: 'error', text }] : [],
  };
}

function gateDrafts({ inside, outside }: Gate): Draft[] {
  const isForAll = EVERYBODY.every((network) => inside.includes(network));
  const [allowed, blocked] = [isForAll ? [] : written(inside), written(outside)];
  return [
    ...(allowed.length > 0 ? [{ recipe: 'allow' as const, values: { networks: allowed } }] : []),
    ...(blocked.length > 0 ? [{ recipe: 'block' as const, values: { networks: blocked } }] : []),
  ];
}

const loginDraft = (users: readonly User[], exempt: readonly string[] = []): Draft => ({
  recipe: 'basic-auth',
  values: { users, ...(exempt.length > 0 && { exemptNetworks: exempt }) },
});

/** With names; without networks that are too many for a policy. */
function finished(
  name: string,
  subject: string,
  drafts: readonly Draft[],
  remarks: readonly Remark[],
): Omit<Protection, 'stripsAuthorization'> {
  const isTooLong = drafts.some(({ values: { networks, exemptNetworks } }) =>
    [networks, exemptNetworks].some((list) => Array.isArray(list) && list.length > MAX_NETWORKS),
  );
  if (isTooLong) {
    return { policies: [{ name, ...REFUSING }], remarks: [...remarks, tooMany(subject)] };
  }
  const isOne = drafts.length === 1;
  const policies = drafts.map((draft) => ({
    name: isOne ? name : `${name}: ${SUFFIXES[draft.recipe]}`,
    ...draft,
  }));
  return { policies, remarks };
}
