/** Random bodies of sites that Caddy accepts, in which every answer carries a marker. */
import type { Random } from './random.ts';

/** In the status line, the headers or the body of whatever a body answers. */
export const MARKER = 'LEAK';

/** The snippets that the bodies import: handlers, settings, both, matchers, and nested ones. */
export const SNIPPETS = `(hand) {
	header X-Hand ${MARKER}
	respond /hand* "${MARKER} hand"
}
(nest) {
	import hand
	handle /nest* {
		respond "${MARKER} nest"
	}
}
(sets) {
	log
}
(paths) {
	@paths path /paths* /a*
}
(mixed) {
	log
	# both
	header X-Mixed ${MARKER}
	handle_errors {
		respond "${MARKER} mixed"
	}
}
(args) {
	respond /args* "${MARKER} {args.0}"
}`;

type Scope = { random: Random; matchers: readonly string[]; root: string; upstream: string };

/**
 * @param root a folder whose files contain the marker
 * @param upstream an address whose answers contain the marker
 */
export function randomBody(random: Random, root: string, upstream: string): string {
  const defined = Array.from({ length: random.below(3) }, (_, index) => `@m${index}`);
  const scope = { random, matchers: defined, root, upstream };
  const lines = [
    ...defined.map((name) => `${name} ${random.pick(MATCHERS)}`),
    ...Array.from({ length: 1 + random.below(4) }, () => statement(scope, 0)),
    ...(random.below(2) ? [`handle_errors {\n${block(scope, 2)}\n}`] : []),
    ...(random.below(4) ? [] : [random.pick(['log', 'import sets', 'import paths'])]),
    ...(random.below(4) ? [] : [random.pick(['import hand', 'import nest', 'import args x'])]),
    ...(random.below(6) ? [] : ['import mixed']),
    ...(random.below(3) ? [] : [random.pick(['# a } b', '', '# c\n', 'vars a b # { c'])]),
  ];
  return shuffled(random, lines).join('\n');
}

const MATCHERS = [
  'path /a* /b/*',
  'not path /a*',
  '{\n\tmethod GET POST\n\tpath *\n}',
  'expression `{method} != "PATCH"`',
  'header !X-Nothing',
  'query a=*',
] as [string, ...string[]];

const PATHS = ['/a*', '/b/*', '/*', '*', '/secret'] as [string, ...string[]];

function statement(scope: Scope, depth: number): string {
  const { random, matchers, root, upstream } = scope;
  const where = random.pick([
    '',
    '* ',
    ...matchers.map((name) => `${name} `),
    `${random.pick(PATHS)} `,
  ]);
  const status = random.pick(['', ' 200', ' 299', ' 404', ' 503']);
  const leaf = (): string =>
    random.pick<() => string>([
      () => `respond ${where}"${MARKER} a\nb"${status}`,
      () => `respond ${where}\\\n\t${MARKER}${status}`,
      () => `redir ${where || '* '}/${MARKER} 302`,
      () => `redir ${where || '* '}https://${MARKER}.example{uri}`,
      () => `header ${where}X-Leak ${MARKER}`,
      () => `header ${where}{\n\t+X-More ${MARKER}\n\tdefer\n}`,
      () => `rewrite ${where || '* '}/rewritten`,
      () => `uri ${where}strip_prefix /a`,
      () => `method ${where}GET`,
      () => `error ${where || '* '}"${MARKER} error" ${random.pick(['404', '500', '418'])}`,
      () => `request_header ${where}X-Set ${MARKER}`,
      () => `vars ${where}kept ${MARKER}\nrespond /vars "{vars.kept}{http.vars.kept}"`,
      () =>
        `map {path} {mapped} {\n\t/a ${MARKER}1\n\tdefault ${MARKER}2\n}\nrespond /map* "{mapped}"`,
      () => `root * ${root}\nfile_server ${random.pick(['', 'browse'])}`,
      () => `root * ${root}\ntry_files {path} /index.html\nfile_server`,
      () =>
        `reverse_proxy ${where}${upstream} {\n\theader_up Host ${upstream}\n\theader_down X-Leak ${MARKER}\n}`,
      () => `encode gzip\ntemplates`,
      () => `abort /abort`,
      () => 'skip_log /quiet',
    ])();
  if (depth > 3 || random.below(3) > 0) return leaf();
  return random.pick<() => string>([
    () => `handle ${random.below(2) ? where : ''}{\n${block(scope, depth + 1)}\n}`,
    () => `handle_path ${random.pick(['/a*', '/b/*', '/*'])} {\n${block(scope, depth + 1)}\n}`,
    () => `route ${where}{ # in order\n${block(scope, depth + 1)}\n}`,
    () => `handle /a* {\n${block(scope, depth + 1)}\n}\nhandle {\n${block(scope, depth + 1)}\n}`,
  ])();
}

const block = (scope: Scope, depth: number): string =>
  Array.from({ length: 1 + scope.random.below(3) }, () => statement(scope, depth)).join('\n');

function shuffled(random: Random, lines: readonly string[]): string[] {
  const left = [...lines];
  return lines.flatMap(() => left.splice(random.below(left.length), 1));
}
