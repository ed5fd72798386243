/** Which addresses the clients of an access list let in. Pure. */
import {
  EVERYBODY,
  type Network,
  outermost,
  readNetworks,
  unmapped,
  without,
  written,
} from './networks.ts';
import type { Remark } from './notes.ts';
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
  const { rules, remarks } = rulesOf(clients, subject);
  const rest = EVERYBODY.map((network) => ({ isAllowed: otherwise === 'allow', network }));
  const real = byFirstMatch([...rules, ...rest]);
  const allowed = outermost(rules.filter((rule) => rule.isAllowed).map((rule) => rule.network));
  const denied = outermost(rules.filter((rule) => !rule.isAllowed).map((rule) => rule.network));
  const admits = admittedBy(real);
  const gate = { admits, ...real, remarks, doubt: null };

  if (admits === 'everybody') {
    if (allowed.length === 0 || isEverybody(allowed)) return gate;
    const text = `${subject} let everybody in with NPM, because no “deny all” follows. Switched on, the site admits only the allowed addresses.`;
    return { ...gate, inside: allowed, doubt: { level: 'error', text } };
  }
  if (admits === 'some') return gate;
  if (allowed.length > 0) {
    const outside = denied.filter((one) =>
      allowed.some((all) => one !== all && one.startsWith(all)),
    );
    const text = `${subject} refused everybody with NPM, because it denies every address before it allows it. Switched on, the site admits the allowed addresses.`;
    return { ...gate, inside: allowed, outside, doubt: { level: 'error', text } };
  }
  if (isEverybody(denied)) return { ...gate, inside: EVERYBODY, outside: EVERYBODY };
  const text =
    denied.length > 0
      ? `${subject} refused everybody with NPM, because it allows no address. Switched on, the site refuses only the denied addresses.`
      : `${subject} has no address that can be read. Switched on, the site refuses everybody.`;
  const outside = denied.length > 0 ? denied : EVERYBODY;
  return { ...gate, inside: EVERYBODY, outside, doubt: { level: 'error', text } };
}

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

/** nginx compares visitors of IPv4 with networks of IPv4 only, so that mapped ones have no effect. */
function rulesOf(
  clients: AccessList['clients'],
  subject: string,
): { rules: Rule[]; remarks: Remark[] } {
  const rules: Rule[] = [];
  const remarks: Remark[] = [];
  for (const { directive, address } of clients) {
    const isAllowed = directive === 'allow';
    const networks = readNetworks(address);
    const plain = unmapped(networks?.[0] ?? '');
    if (networks === null) remarks.push(unread(isAllowed, address, subject));
    else if (plain === null) rules.push(...networks.map((network) => ({ isAllowed, network })));
    else {
      remarks.push(mapped(isAllowed, address, written([plain]).join(), subject));
      if (!isAllowed) rules.push({ isAllowed, network: plain });
    }
  }
  return { rules, remarks };
}

const unread = (isAllowed: boolean, address: string, subject: string): Remark =>
  isAllowed
    ? { level: 'warning', text: `${subject} allows “${address}”, which is no address: left out.` }
    : {
        level: 'error',
        text: `${subject} denies “${address}”, which is no address. Add what it means to a policy before you switch the site on.`,
      };

const mapped = (isAllowed: boolean, address: string, plain: string, subject: string): Remark =>
  isAllowed
    ? {
        level: 'info',
        text: `${subject} allows ${address}, which NPM never lets in: left out. If you mean ${plain}, add that to the policy.`,
      }
    : {
        level: 'warning',
        text: `${subject} denies ${address}, which had no effect with NPM: here it blocks ${plain}.`,
      };
