/** Which addresses the clients of an access list let in. Pure. */
import { MAX_NETWORKS } from '../../../hub/recipes/fields.ts';
import { EVERYBODY, type Network, outermost, readNetworks, unmapped, without } from './networks.ts';
import { named, type Remark } from './notes.ts';
import type { AccessList } from './rows.ts';

/** Lets in the addresses inside that are not outside. */
export type Gate = {
  admits: 'everybody' | 'some' | 'nobody';
  /** What was meant, if it admits nobody, or everybody in spite of what it says. */
  inside: readonly Network[];
  /** Each is in a network of `inside`. */
  outside: readonly Network[];
  remarks: readonly Remark[];
  /** Why nobody is to rely on it, unless a password opens it too. */
  doubt: Remark | null;
};

type Rule = { isAllowed: boolean; network: Network };

/**
 * What clients mean: the first that has an address decides.
 * @param otherwise what nginx does with an address that none has
 * @param subject begins the remarks, such as `The access list "Family"`
 */
export function gateOf(
  clients: AccessList['clients'],
  otherwise: 'allow' | 'deny',
  subject: string,
): Gate {
  if (clients.length > MAX_NETWORKS) return { ...SHUT, remarks: [tooMany(subject)] };
  const { rules, remarks } = rulesOf(clients, subject);
  const rest = EVERYBODY.map((network) => ({ isAllowed: otherwise === 'allow', network }));
  const real = byFirstMatch([...rules, ...rest]);
  const allowed = outermost(rules.filter((rule) => rule.isAllowed).map((rule) => rule.network));
  const denied = outermost(rules.filter((rule) => !rule.isAllowed).map((rule) => rule.network));
  const admits = admittedBy(real);
  const gate = { admits, ...real, remarks, doubt: null };

  if (admits === 'everybody') {
    if (allowed.length === 0 || isEverybody(allowed)) return gate;
    const text = `${subject} does not end with “deny all”, so NPM lets everybody in. Once switched on, the site admits only the allowed addresses.`;
    return { ...gate, inside: allowed, doubt: { level: 'error', text } };
  }
  if (admits === 'some') return gate;
  if (allowed.length > 0) {
    const outside = denied.filter((one) =>
      allowed.some((all) => one !== all && one.startsWith(all)),
    );
    const text = `${subject} denies addresses before it allows them, so NPM refuses everybody. Once switched on, the site admits the allowed addresses.`;
    return { ...gate, inside: allowed, outside, doubt: { level: 'error', text } };
  }
  if (isEverybody(denied)) return { ...SHUT, remarks };
  const text =
    denied.length > 0
      ? `${subject} allows no address, so NPM refuses everybody. Once switched on, the site refuses only the denied addresses.`
      : `${subject} has no valid address. Once switched on, the site refuses everybody.`;
  const outside = denied.length > 0 ? denied : EVERYBODY;
  return { ...gate, inside: EVERYBODY, outside, doubt: { level: 'error', text } };
}

/** Of more networks than a policy can have. */
export const tooMany = (subject: string): Remark => ({
  level: 'error',
  text: `${subject} needs more than ${MAX_NETWORKS} networks, too many for a policy. Once switched on, the site admits no address.`,
});

const SHUT = { admits: 'nobody', inside: EVERYBODY, outside: EVERYBODY, doubt: null } as const;

/** The networks that it lets in. */
export const admitted = ({ inside, outside }: Pick<Gate, 'inside' | 'outside'>): Network[] =>
  inside.flatMap((network) => without(network, outside));

const isEverybody = (networks: readonly Network[]): boolean =>
  EVERYBODY.every((network) => without(network, networks).length === 0);

function admittedBy(gate: Pick<Gate, 'inside' | 'outside'>): Gate['admits'] {
  if (gate.inside.length === 0) return 'nobody';
  return isEverybody(admitted(gate)) ? 'everybody' : 'some';
}

/** Two networks have no address in common, or one is inside the other: an earlier `allow` is all that a `deny` leaves. */
function byFirstMatch(rules: readonly Rule[]): Pick<Gate, 'inside' | 'outside'> {
  const seen: Network[] = [];
  const allowed: Network[] = [];
  const denied: { network: Network; before: number }[] = [];
  for (const { isAllowed, network } of rules) {
    const hasEffect = without(network, seen).length > 0;
    seen.push(network);
    if (hasEffect && isAllowed) allowed.push(network);
    else if (hasEffect) denied.push({ network, before: allowed.length });
  }
  const inside = outermost(allowed);
  const outside = denied
    .filter(({ network }) => inside.some((all) => network.startsWith(all)))
    .flatMap(({ network, before }) => without(network, allowed.slice(0, before)));
  return { inside, outside: outermost(outside) };
}

/** What is said about addresses that are not taken as they are, by `allow` or `deny`. */
const REMARKS = {
  'allow unread': ['warning', 'That is not an address, and not taken over.'],
  'deny unread': [
    'error',
    'That is not an address. Block the right one with a policy before you switch the site on.',
  ],
  'allow mapped': [
    'info',
    'That is not taken over, because it has no effect in NPM: write it as an IPv4 address.',
  ],
  'deny mapped': ['warning', 'That has no effect in NPM; here it blocks the IPv4 addresses.'],
} as const;

/** nginx compares visitors of IPv4 with networks of IPv4 only, so that mapped ones have no effect. */
function rulesOf(
  clients: AccessList['clients'],
  subject: string,
): { rules: Rule[]; remarks: Remark[] } {
  const rules: Rule[] = [];
  const odd: { directive: 'allow' | 'deny'; address: string; why: 'unread' | 'mapped' }[] = [];
  for (const { directive, address } of clients) {
    const isAllowed = directive === 'allow';
    const networks = readNetworks(address);
    const plain = unmapped(networks?.[0] ?? '');
    if (networks === null) odd.push({ directive, address, why: 'unread' });
    else if (plain === null) rules.push(...networks.map((network) => ({ isAllowed, network })));
    else {
      odd.push({ directive, address, why: 'mapped' });
      if (!isAllowed) rules.push({ isAllowed, network: plain });
    }
  }
  const groups = Map.groupBy(odd, ({ directive, why }) => `${directive} ${why}` as const);
  const remarks = [...groups].map(([kind, all]): Remark => {
    const [level, words] = REMARKS[kind];
    const addresses = named(all.map(({ address }) => address));
    const verb = kind.startsWith('allow') ? 'allows' : 'denies';
    return { level, text: `${subject} ${verb} ${addresses}. ${words}` };
  });
  return { rules, remarks };
}
