/** What a newer Caddy refuses although an older one accepts it, and what to write instead. Pure. */
import { type Dialect, dialectOf } from '../../shared/caddyfile/dialect.ts';
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, tokenize } from '../../shared/caddyfile/tokenizer.ts';

export type RefusedLater = {
  /** The number, from 1, of the text's line. */
  line: number;
  /** The first release that is known to refuse it. */
  since: string;
  /** What is wrong, and what to write instead: sentences for a person. */
  detail: string;
  instead: string;
};

/** A line of a text. That which opens the global options has no words. */
type Statement = {
  words: string[];
  line: number;
  /** What opens the block that it is in, and how many blocks were opened before that one. */
  parent: Statement | null;
  block: number;
};

type Rule = {
  since: string;
  /** What Caddy says when it refuses it. */
  says: RegExp;
  /** Only a text that this finds anything in can have it. */
  near: Pick<RegExp, 'test'>;
  instead: string;
  /** The first version with what is to be written instead, if older ones lack it. */
  insteadSince?: string;
  /**
   * What is wrong with a statement; null: nothing.
   * @param isAgain whether it was called with this name before, for a statement in the same block
   */
  find: (one: Statement, isAgain: (name: string) => boolean) => string | null;
};

const nameOf = ({ words }: Statement): string => words[0] ?? '';
const isIn = ({ parent }: Statement, ...names: readonly string[]): boolean =>
  parent !== null && names.includes(nameOf(parent));

const ONCE_IN_LOG = ['output', 'format', 'level', 'sampling', 'core', 'no_hostname'];
const ONCE_IN_SAMPLING = ['interval', 'first', 'thereafter'];
/** Whether a text has one of some words twice. Two passes each, whatever the text: a pattern would try every pair. */
const twice = (...words: readonly string[]): Rule['near'] => ({
  test: (text) => words.some((word) => text.indexOf(word) !== text.lastIndexOf(word)),
});
const PROXIES = ['reverse_proxy', 'forward_auth', 'php_fastcgi'];

/** Seen on 2.6.2, 2.11.4 and the newest; between the first two, nobody knows which release it was. */
const RULES: readonly Rule[] = [
  {
    since: '2.11.6',
    says: /^'\w+' (?:subdirective )?specified more than once in the same (?:log|sampling) block/,
    near: twice(...ONCE_IN_LOG, ...ONCE_IN_SAMPLING),
    instead: 'Keep the last one, because only it counts, and remove the others.',
    find(one, isAgain) {
      const name = nameOf(one);
      const once = isIn(one, 'log') ? ONCE_IN_LOG : isIn(one, 'sampling') ? ONCE_IN_SAMPLING : [];
      if (!once.includes(name) || !isAgain(name)) return null;
      return `\`${name}\` is in the same \`${nameOf(one.parent as Statement)}\` block twice.`;
    },
  },
  {
    since: '2.11.6',
    says: /^unrecognized request_body subdirective '(?:read|write)_timeout'/,
    near: /^[ \t]*(?:read|write)_timeout\b/m,
    instead:
      'Write a separate directive, `timeouts`, with `read_timeout` or `write_timeout` in its block.',
    insteadSince: '2.11.6',
    find: (one) =>
      isIn(one, 'request_body') && /^(?:read|write)_timeout$/.test(nameOf(one))
        ? `\`request_body\` no longer has \`${nameOf(one)}\`.`
        : null,
  },
  {
    since: '2.11.6',
    says: /^cannot re-declare uri\b/,
    near: twice('uri'),
    instead: 'Keep the last one, because only it counts, and remove the others.',
    find: (one, isAgain) =>
      isIn(one, 'forward_auth') && nameOf(one) === 'uri' && isAgain('uri')
        ? '`forward_auth` has `uri` twice.'
        : null,
  },
  {
    since: '2.11.6',
    says: /^cannot have duplicate named_routes\b/,
    near: twice('&('),
    instead: 'Keep the last one, because only it counts, or give one another name.',
    find: (one, isAgain) =>
      one.parent === null && /^&\(.*\)$/.test(nameOf(one)) && isAgain(nameOf(one))
        ? `There are two named routes ${nameOf(one)}.`
        : null,
  },
  {
    since: '2.11.6',
    says: /weighted_round_robin requires at least one upstream with a positive weight/,
    near: /\bweighted_round_robin\b/,
    instead: 'Give at least one upstream a weight above 0.',
    find({ words: [name, policy, ...weights] }) {
      if (name !== 'lb_policy' || policy !== 'weighted_round_robin') return null;
      const isNone = weights.length > 0 && weights.every((weight) => /^0+$/.test(weight));
      return isNone ? '`weighted_round_robin` has no weight above 0.' : null;
    },
  },
  {
    since: '2.11.4',
    says: /^unrecognized subdirective (?:buffer_requests|buffer_responses|max_buffer_size)\b/,
    near: /\b(?:buffer_requests|buffer_responses|max_buffer_size)\b/,
    instead: 'Write `request_buffers SIZE` or `response_buffers SIZE`.',
    insteadSince: '2.6.4',
    find: (one) =>
      isIn(one, ...PROXIES) &&
      ['buffer_requests', 'buffer_responses', 'max_buffer_size'].includes(nameOf(one))
        ? `\`${nameOf(one)}\` is gone.`
        : null,
  },
  {
    since: '2.11.4',
    says: /^the 'forwarded' option is no longer supported/,
    near: /\bforwarded\b/,
    instead:
      'Write `client_ip` in place of `remote_ip forwarded`, and the proxies in front of Caddy in the global option `trusted_proxies`.',
    insteadSince: '2.7.0',
    find: ({ words }) =>
      /^(?:@.*|not|remote_ip)$/.test(words[0] ?? '') &&
      words.some((word, at) => word === 'remote_ip' && words[at + 1] === 'forwarded')
        ? '`remote_ip` no longer has `forwarded`.'
        : null,
  },
  {
    since: '2.11.4',
    says: /\bunsupported URL scheme srv\+/,
    near: /\bsrv\+/,
    instead: 'Write `dynamic srv NAME` in the block of `reverse_proxy`.',
    find: ({ words: [name = '', ...words] }) =>
      [...PROXIES, 'to'].includes(name) && words.some((word) => /^srv\+\w+:\/\//.test(word))
        ? 'An upstream can no longer be written as `srv+http://NAME`.'
        : null,
  },
  {
    since: '2.11.4',
    says: /^unrecognized hash algorithm: scrypt\b/,
    near: /\bscrypt\b/,
    instead:
      'Make new hashes with `caddy hash-password`, and write `bcrypt` in place of `scrypt`, or nothing.',
    find: ({ words: [name, ...words] }) =>
      /^basic_?auth$/.test(name ?? '') && words[/^[@*/]/.test(words[0] ?? '') ? 1 : 0] === 'scrypt'
        ? 'Passwords hashed with `scrypt` are no longer read.'
        : null,
  },
  {
    since: '2.11.4',
    says: /^unrecognized servers option 'protocol'/,
    near: /^[ \t]*protocol\b/m,
    instead: 'Write `protocols h1 h2 h3`, or `strict_sni_host`, directly in `servers`.',
    find: (one) =>
      isIn(one, 'servers') && nameOf(one) === 'protocol'
        ? '`servers` no longer has `protocol`.'
        : null,
  },
  {
    since: '2.11.4',
    says: /^the on_demand_tls '(?:interval|burst)' option is no longer supported/,
    near: /\bon_demand_tls\b/,
    instead: 'Remove it: `ask` decides which certificates are obtained.',
    find: (one) =>
      isIn(one, 'on_demand_tls') && /^(?:interval|burst)$/.test(nameOf(one))
        ? `\`on_demand_tls\` no longer has \`${nameOf(one)}\`.`
        : null,
  },
];

/** More than anyone repairs before looking again. */
const MOST = 20;

/**
 * What of a text newer versions than `version` refuse, in the order of its lines.
 * @param text a config, a whole block or a preamble, which `version` accepts
 * @param version the running one, such as `2.6.2`; if it is not known, nothing is found
 */
export function refusedByNewer(text: string, version: string | null): RefusedLater[] {
  if (version === null) return [];
  const rules = RULES.filter(({ since, near }) => isOlder(version, since) && near.test(text));
  if (rules.length === 0) return [];
  const seen = new Set<string>();
  const found: RefusedLater[] = [];
  for (const one of statementsOf(text, dialectOf(version))) {
    for (const [index, rule] of rules.entries()) {
      const detail = rule.find(one, (name) => {
        const key = `${index} ${one.block} ${name}`;
        const isKnown = seen.has(key);
        seen.add(key);
        return isKnown;
      });
      if (detail === null) continue;
      const { since } = rule;
      found.push({ line: one.line, since, detail, instead: insteadIn(rule, version) });
      if (found.length === MOST) return found;
    }
  }
  return found;
}

/** What to write instead of what a newer Caddy refuses. @param sentence Caddy's words, cleaned */
export const insteadOf = (sentence: string): string | undefined =>
  RULES.find(({ says }) => says.test(sentence))?.instead;

const isOlder = (version: string, than: string): boolean => Bun.semver.order(version, than) < 0;

const insteadIn = ({ instead, insteadSince }: Rule, version: string): string =>
  insteadSince !== undefined && isOlder(version, insteadSince)
    ? `${instead} Caddy ${version} does not have that yet: remove the line before the upgrade, and add the new one after it.`
    : instead;

/** All lines of a text, those in blocks after those that open them. Braces that match nothing do no harm. */
function statementsOf(text: string, dialect: Dialect): Statement[] {
  const tokens = tokenize(maskPlaceholders(text).masked, dialect);
  const all: Statement[] = [];
  let parent = null as Statement | null;
  let last = null as Statement | null;
  const blocks = new Map<Statement | null, number>([[null, 0]]);
  for (const [index, { text: word, line, quote }] of tokens.entries()) {
    const isFirst = startsLine(tokens, index);
    if (isFirst && word === '}' && quote === '') {
      parent = parent?.parent ?? null;
      last = null;
      continue;
    }
    if (isFirst || last === null) {
      last = { words: [], line, parent, block: blocks.get(parent) ?? 0 };
      all.push(last);
    }
    if (word === '{' && quote === '' && startsLine(tokens, index + 1)) {
      parent = last;
      blocks.set(parent, blocks.size);
      last = null;
    } else {
      last.words.push(word);
    }
  }
  return all;
}
