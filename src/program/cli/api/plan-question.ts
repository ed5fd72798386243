/** What a command that plans a change can ask of it besides: an option of the command, such as `--replay`. */
import type { Cli, Command, Given } from '../command.ts';
import type { AskHub } from './local-hub.ts';

export type PlanQuestion = Readonly<{
  /** That of the option, and of the parameter of the hub's route. */
  name: string;
  /** Of the option, after `with --plan: `. */
  summary: string;
  /** What is printed then, after `With --replay, --plan `. */
  prints: string;
  /** From now on, a signal ends what the hub is asked, and then the command. */
  begin: (hub: AskHub, cli: Pick<Cli, 'stopSignal' | 'progress'>) => Asking;
}>;

/** The answer of such a route: it names what began. */
export type Begun = { replay?: string };

export type Asking = {
  /** As the hub, but given up soon after a signal. */
  ask: AskHub;
  /**
   * A request that begins it; if a signal comes first, it is ended.
   * @throws Refused as `sent`, and because of the signal
   */
  started<T extends Begun>(sent: Promise<T>): Promise<T>;
  /**
   * Prints what was found of what a command would do. A failure is printed as well: the exit code is about the change.
   * @throws Refused because of a signal
   */
  print(command: string, begun: Begun, write: (text: string) => void, cli: Cli): Promise<void>;
};

/** @param plan the option with which the command plans */
export const optionsOf = (questions: readonly PlanQuestion[], plan: string): Command['options'] =>
  Object.fromEntries(
    questions.map(({ name, summary }) => [name, { summary: `with --${plan}: ${summary}` }]),
  );

/** The one that was asked for. */
export const askedOf = (questions: readonly PlanQuestion[], { has }: Given): PlanQuestion | null =>
  questions.find(({ name }) => has(name)) ?? null;
