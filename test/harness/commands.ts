/** The commands of the program, with all features. */
import { FEATURES } from '../../src/features.ts';
import { commandsOf, shownOf } from '../../src/program/cli/commands.ts';

export const COMMANDS = shownOf(await commandsOf(FEATURES));
