/** What nginx does before it chooses a location, or first in one: `set`, `if`, `return`, `rewrite`. Pure. */

import { literally } from '../../../../hub/recipes/quote.ts';
import { isRedirect, moved, replaced, returned, tabbed } from './answers.ts';
import type { Findings } from './findings.ts';
import type { Directive } from './parse.ts';
import { beforeLineFeed, groupsIn, regexWord, translated } from './regex.ts';
import {
  type Captures,
  constant,
  expanded,
  type Part,
  placeholderOf,
  type Scope,
  wordOf,
} from './words.ts';

export type Rules = {
  /** What answers some requests, in order. */
  lines: readonly string[];
  /** What answers all others; null: none of this does. */
  end: string | null;
  /** What changes the path of all others; null: nothing does. */
  change: string | null;
  scope: Scope;
};

export const RULES: ReadonlySet<string> = new Set(['set', 'if', 'return', 'rewrite']);

/** Nginx Proxy Manager's own, which its location forwards to. */
const RESERVED = new Set(['forward_scheme', 'server', 'port']);

const NO_EFFECT =
  'NPM ignores a rewrite outside of a location, because it forwards the path that the visitor asked for. It is left out.';

/**
 * Translates them in order.
 * @param place `alone`: at a server without locations, where a path that is not redirected stays as it is,
 * since Nginx Proxy Manager forwards what was asked for
 */
export function rulesOf(
  directives: readonly Directive[],
  outer: Scope,
  place: 'alone' | 'server' | 'location',
  findings: Findings,
): Rules {
  const variables = new Map(outer.variables);
  const scope: { variables: typeof variables; captures: Captures | null } = { ...outer, variables };
  const lines: string[] = [];
  /** The conditions by which a `last` keeps requests from all that follows. */
  const unlessRewritten: string[] = [];
  let change: string | null = null;

  const answer = (
    name: string,
    conditions: readonly string[],
    write: (matcher: string) => readonly string[],
  ) => lines.push(...matcher(name, [...conditions, ...unlessRewritten]), ...write(`@${name}`));

  function rewrite({ args }: Directive, conditions: readonly string[], isLast: boolean): boolean {
    const [source = '', path = '', flag = '', ...more] = args;
    const pattern = translated(source, false);
    if (pattern === null || more.length > 0 || !FLAGS.has(flag)) return false;
    if (isRedirect(args)) {
      const answers = moved(pattern, args, scope);
      const name = findings.name('rewrite');
      const own = [`path_regexp ${regexWord(pattern)}`, ...conditions];
      if (answers) answer(name, own, (by) => [`route ${by} {`, ...tabbed(answers), '}']);
      return answers !== null;
    }
    if (place === 'alone' && (flag !== '' || isLast)) {
      unlessRewritten.push(`not path_regexp ${regexWord(pattern)}`);
      findings.remark('info', NO_EFFECT);
      return true;
    }
    if (place !== 'location' || flag !== 'break' || !isLast) return false;
    change = replaced(pattern, path);
    return change !== null;
  }

  function choose({ args, block }: Directive): boolean {
    const name = findings.name('if');
    const condition = conditionOf(args, name, scope);
    const [inner, ...others] = block ?? [];
    if (condition === null || !inner || others.length > 0) return false;
    const isOfPath = condition.startsWith('path_regexp ');
    if (inner.name === 'rewrite' && isRedirect(inner.args)) {
      // A matcher has one regular expression for paths.
      return !isOfPath && rewrite(inner, [condition], false);
    }
    const groups = groupsIn(condition);
    const captures = /^(?:vars|path)_regexp /.test(condition) ? { name, groups } : scope.captures;
    const line =
      inner.name === 'return' ? returned(inner.args, `@${name}`, { variables, captures }) : null;
    if (line !== null) answer(name, [condition], () => [line]);
    return line !== null;
  }

  for (const [at, directive] of directives.entries()) {
    const { name, args } = directive;
    const isLast = !directives.slice(at + 1).some((one) => one.name !== 'set');
    if (name === 'return') {
      const end = returned(args, '', scope);
      if (end === null) findings.cannot([name, ...args].join(' '));
      // A `last` leads past it.
      else if (unlessRewritten.length === 0) return { lines, end, change, scope };
      else answer(findings.name('if'), [], (by) => [returned(args, by, scope) ?? end]);
      break;
    }
    const isSaid =
      name === 'set'
        ? assign(args, scope, variables)
        : name === 'if'
          ? choose(directive)
          : rewrite(directive, [], isLast);
    if (!isSaid) findings.cannot([name, ...args].join(' '));
    // From here on, `$1` is of this regular expression for some requests only.
    if (name !== 'set') scope.captures = null;
  }
  return { lines, end: null, change, scope };
}

const FLAGS = new Set(['', 'last', 'break', 'redirect', 'permanent']);

function assign(
  [name = '', value = '', ...more]: readonly string[],
  scope: Scope,
  variables: Map<string, readonly Part[]>,
): boolean {
  const key = name.slice(1).toLowerCase();
  const parts = expanded(value, scope);
  if (!/^\$[a-z_]\w*$/i.test(name) || more.length > 0) return false;
  if (placeholderOf(key) !== null || RESERVED.has(key) || parts === null) return false;
  variables.set(key, parts);
  return true;
}

/** A named matcher. */
export const matcher = (name: string, conditions: readonly string[]): string[] =>
  conditions.length === 1
    ? [`@${name} ${conditions[0]}`]
    : [`@${name} {`, ...tabbed(conditions), '}'];

/** The condition of an `if`; null if there is none. @param name of its regular expression */
function conditionOf(args: readonly string[], name: string, scope: Scope): string | null {
  const [variable = '', operator = '', value = '', ...more] = args
    .map((arg, at) => (at === 0 ? arg.replace(/^\(/, '') : arg))
    .map((arg, at) => (at === args.length - 1 ? arg.replace(/\)$/, '') : arg))
    .filter((arg, at) => arg !== '' || (at > 0 && at < args.length - 1));
  const found = /^\$(?:(\w+)|\{(\w+)\})$/.exec(variable);
  const key = (found?.[1] ?? found?.[2] ?? '').toLowerCase();
  const placeholder = scope.variables.has(key) ? null : placeholderOf(key);
  if (placeholder === null || more.length > 0) return null;
  const not = operator.startsWith('!') ? 'not ' : '';
  const named = not === '' ? `${name} ` : '';
  const isPath = placeholder === '{path}';
  // nginx has it in lower case.
  const isHost = placeholder === '{host}';
  const isEqual = operator === '=' || operator === '!=';
  const parts = isEqual ? expanded(value, scope) : null;
  const text = parts === null ? null : constant(parts);
  const word = text === null ? null : wordOf([{ text, isPlaceholder: false }]);
  if (isEqual && (text === null || word === null || /\p{Cc}/u.test(text))) return null;
  if (isEqual && !isPath && !isHost) return `${not}vars ${placeholder} ${word}`;
  const pattern =
    text !== null
      ? `${isHost ? '(?i)' : ''}^${literally(text)}$`
      : /^!?~\*?$/.test(operator)
        ? translated(value, isHost || operator.endsWith('*'))
        : null;
  if (pattern === null) return null;
  // A path has to be read as the matchers of locations read it, without `//` and `..`.
  const subject = isPath ? `path_regexp ${named}` : `vars_regexp ${named}${placeholder} `;
  return `${not}${subject}${regexWord(not === '' && text === null ? beforeLineFeed(pattern) : pattern)}`;
}
