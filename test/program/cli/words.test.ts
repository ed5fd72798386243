/** How the command line is parsed, and what help prints. */
import { describe, expect, test } from 'bun:test';
import { parseWords } from '../../../src/program/cli/command.ts';
import {
  commandHelp,
  commandsHelp,
  overallHelp,
  settingsHelp,
  synopsis,
} from '../../../src/program/cli/help.ts';
import { ROLES } from '../../../src/shared/setting.ts';
import { runHere } from '../../harness/command.ts';
import { COMMANDS } from '../../harness/commands.ts';
import { MAIN } from '../../harness/program.ts';

const parse = (...words: string[]) => parseWords(words, COMMANDS);

describe('the command line', () => {
  test.each([
    ['an unknown command', ['serve']],
    ['an empty command', ['']],
    ['help of an unknown command', ['nosuch', '--help']],
    ['help of an unknown command, first', ['-h', 'nosuch']],
    ['an unknown option', ['--hlep']],
    ['a surplus argument', ['hub', 'x']],
    ['an argument that is not among the choices', ['health', 'x']],
    ['a missing argument', ['passwd']],
    ['two files', ['import', 'a', 'b']],
    ['an option of another command', ['passwd', 'a@b.example', '--dry-run']],
    ['a value for a switch', ['import', 'a', '--dry-run=yes']],
  ])('refuses %s', (_what, words) => {
    expect(parse(...words).ask).toBeOneOf(['unknown', 'misused']);
  });

  test.each([
    ['apply -f a -f b', '--file is given twice'],
    ['apply -f a --file=b', '--file is given twice'],
    ['import a --preamble keep --preamble take', '--preamble is given twice'],
    ['apply -f a --dry-run', 'unknown option --dry-run'],
    ['apply -f a --purne', 'unknown option --purne; did you mean --prune?'],
    ['apply -f a -x', 'unknown option -x'],
    ['apply -f a --plan=yes', '--plan takes no value'],
    ['apply -f', '-f needs FILE'],
    ['apply --file --plan', '--file needs FILE'],
    ['apply --source --plan -f a', '--source needs NAME'],
    ['apply sites.yaml', 'sites.yaml is one argument too many'],
    ['apply', '-f FILE is missing'],
    ['health x', 'x is none of hub, agent'],
    ['health agnt', 'agnt is none of hub, agent; did you mean agent?'],
    ['passwd', 'EMAIL is missing'],
    ['import a b', 'b is one argument too many'],
    ['import ./npm a', 'a is one argument too many'],
    ['api GET', 'PATH is missing'],
    ['api get /vhosts', 'get is none of GET, POST, PUT, PATCH, DELETE; did you mean GET?'],
    ['import npm', 'FOLDER is missing'],
    ['import npm a b', 'b is one argument too many'],
  ])('says what is wrong in %s', (line, wrong) => {
    expect(parse(...line.split(' '))).toMatchObject({ ask: 'misused', wrong });
  });

  test('no option that takes a value may be given twice, in any command', () => {
    for (const { name, options } of COMMANDS) {
      for (const [option, { takes, repeats }] of Object.entries(options)) {
        if (takes === undefined || repeats) continue;
        expect(parse(...(name ? [name] : []), `--${option}=a`, `--${option}=a`)).toMatchObject({
          ask: 'misused',
          wrong: `--${option} is given twice`,
        });
      }
    }
  });

  test('an option that may be given several times has all values, in order', () => {
    const parsed = parse('api', 'GET', '/logs', '-q', 'a=1', '--query', 'a=2', '--query=b=');
    expect(parsed).toMatchObject({ ask: 'run' });
    const values = parsed.ask === 'run' ? parsed.given.values('query') : [];
    expect(values).toEqual(['a=1', 'a=2', 'b=']);
  });

  test('a switch that is given twice is on', () => {
    expect(parse('apply', '-f', 'a', '--plan', '--plan').ask).toBe('run');
  });

  test('takes options anywhere, and - as a file', () => {
    for (const words of [
      ['import', '--dry-run', '-'],
      ['import', '-', '--dry-run'],
    ]) {
      const parsed = parse(...words);
      if (parsed.ask !== 'run') throw new Error(parsed.ask);
      expect([parsed.command.name, parsed.given.args]).toEqual(['import', ['-']]);
      expect([parsed.given.has('dry-run'), parsed.given.has('invite')]).toEqual([true, false]);
    }
  });

  test('takes a Caddyfile called npm for one, if its folder is named', () => {
    for (const [words, args] of [
      ['import ./npm', ['./npm']],
      ['import npm data', ['npm', 'data']],
      ['import npm --dry-run npm', ['npm', 'npm']],
    ] as const) {
      expect(parse(...words.split(' '))).toMatchObject({ ask: 'run', given: { args } });
    }
  });

  test('runs the one-machine mode without arguments', () => {
    expect(parse()).toMatchObject({ ask: 'run', command: { name: '' } });
  });

  test('shows only help with --help anywhere', () => {
    expect(parse('--help')).toEqual({ ask: 'help', command: null });
    expect(parse('passwd', 'a@b.example', '--help')).toMatchObject({ command: { name: 'passwd' } });
  });
});

describe('wrong usage', () => {
  test.each([
    'site',
    'site list a.example',
    'site off a.example 127.0.0.1:1',
    'site rm a.example --off',
    'site add a.example',
    'site add a.example 127.0.0.1:1 x',
    'site on a.example --check /',
    'site add a.example 127.0.0.1:1 --expect 200',
    'site add a.example 127.0.0.1:1 --check health',
    'site add a.example 127.0.0.1:1 --check / --expect ok',
    'site add a.example 127.0.0.1:1 --check / --expect 100',
    'site add a.example 127.0.0.1:1 --every 60',
    'site add a.example 127.0.0.1:1 --check / --every 9',
    'site add a.example 127.0.0.1:1 --check / --every 3601',
    'site add a.example 127.0.0.1:1 --check / --every 1.5e1',
    'site on a.example --every 60',
    'site edit a.example',
    'site add a.example 127.0.0.1:1 --check=',
    'site show',
    'site show a.example --config -',
    'status b.example',
    'certificate put',
    'certificate put home',
    'certificate put home --chain a',
    'certificate put home --key a',
    'certificate put home --chain - --key -',
    'certificate list',
    'certificate rm home',
    'logs a.example',
    'logs -n many',
    'logs -n 10001',
    'logs -f --until 1h',
    // There is no terminal to ask at.
    'undo',
    'undo a.example',
    'undo 0',
    'agents',
    'agents drop vps',
    'agents add vps',
    'agents rename vps',
    'agents remove vps --replace',
    'import',
    'import a --preamble both',
    'import a --replace-all --skip-taken',
    'import a --with-certificates',
    'import npm a --on vps',
    'import npm a --preamble keep',
    'import npm a --replace-all --skip-taken',
  ])('signalbox %s', async (line) => {
    const words = line.split(' ');
    if (parse(...words).ask === 'misused') return;
    const { code, out, text } = await runHere(words, {
      env: { DATA_DIR: '/nonexistent' },
      host: { hasTerminal: false },
    });
    expect([code, out]).toEqual([2, '']);
    expect(text).toStartWith(`signalbox ${words[0]}: `);
  });
});

test('a closed pipe is not an error', () => {
  const script = 'set -o pipefail; "$@" help | true; echo $?';
  const { stdout, stderr } = Bun.spawnSync(['bash', '-c', script, 'bash', process.execPath, MAIN]);
  expect([stdout.toString(), stderr.toString()]).toEqual(['0\n', '']);
});

describe('an unknown command', () => {
  const run = (...words: string[]) => {
    const { exitCode, stderr, stdout } = Bun.spawnSync([process.execPath, MAIN, ...words]);
    return { code: exitCode, out: stdout.toString(), last: stderr.toString().trimEnd() };
  };

  test.each([
    [['imprt', 'x'], 'signalbox: unknown command: imprt x; did you mean import?'],
    [['nosuch', '--help'], 'signalbox: unknown command: nosuch --help; see signalbox --help'],
    [['help', 'instal'], 'signalbox: unknown command: help instal; did you mean install?'],
    [['a\x1b[2J'], 'signalbox: unknown command: a\\u001b[2J; see signalbox --help'],
  ])('%j exits with 2, and says which one may be meant', (words, reason) => {
    const { code, out, last } = run(...words);
    expect([code, out]).toEqual([2, '']);
    expect(last).toBe(reason);
  });
});

test('wrong usage ends with what is wrong', () => {
  const words = ['apply', '-f', 'a', '--purne\x1b'];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, MAIN, ...words]);
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    `Usage: signalbox apply -f FILE [OPTIONS]

signalbox apply: unknown option --purne\\u001b; did you mean --prune?
`,
  ]);
});

describe('help', () => {
  test.each(COMMANDS.map((command) => [synopsis(command), command] as const))(
    '%s',
    (_, command) => {
      const text = commandHelp(command);
      expect(text).toStartWith(`Usage: ${synopsis(command)}\n\n`);
      expect(text).toContain('Exit codes: 0 ');
      for (const [option, { short }] of Object.entries(command.options)) {
        expect(text).toContain(`  ${short === undefined ? '' : `-${short}, `}--${option}`);
      }
      expect(commandsHelp(COMMANDS)).toContain(`\n  ${synopsis(command)}`);
      const isUsual = !command.isSeldom;
      expect(overallHelp(COMMANDS).includes(`\n  ${synopsis(command)}`)).toBe(isUsual);
    },
  );

  test('names at most twenty commands, and where the others are', () => {
    const help = overallHelp(COMMANDS);
    const named = COMMANDS.filter((command) => help.includes(`\n  ${synopsis(command)}`));
    expect(named.length).toBeGreaterThan(10);
    expect(named.length).toBeLessThanOrEqual(20);
    expect(help).toContain('signalbox help commands');
  });

  test.each([
    ['commands', commandsHelp(COMMANDS)],
    ['settings', settingsHelp(ROLES)],
  ])('of all %s', async (what, text) => {
    expect(await runHere(['help', what])).toMatchObject({ code: 0, out: text });
  });

  test('no line is wider than a hundred columns', () => {
    const general = [overallHelp(COMMANDS), commandsHelp(COMMANDS), settingsHelp(ROLES)];
    const all = [...general, ...COMMANDS.map(commandHelp)].join('');
    expect(all.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(all).not.toContain('undefined');
  });
});
