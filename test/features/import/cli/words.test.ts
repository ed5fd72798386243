/** The words of `signalbox import`. */
import { expect, test } from 'bun:test';
import { FEATURES } from '../../../../src/features.ts';
import { parseWords } from '../../../../src/program/cli/command.ts';
import { commandsOf } from '../../../../src/program/cli/commands.ts';
import { commandHelp } from '../../../../src/program/cli/help.ts';

test('without other importers, only a Caddyfile can be imported, also one that is called npm', async () => {
  const alone = FEATURES.filter(({ name }) => name === 'import');
  const [core, all] = [await commandsOf(alone), await commandsOf(FEATURES)];
  expect(parseWords(['import', 'npm', 'data'], all).ask).toBe('run');
  expect(parseWords(['import', 'npm', 'data'], core)).toMatchObject({
    wrong: 'data is one argument too many',
  });
  expect(parseWords(['import', 'npm'], core).ask).toBe('run');
  const command = core.find(({ name }) => name === 'import');
  expect(command && commandHelp(command)).not.toMatch(/npm|Nginx/);
});
