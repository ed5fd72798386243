/** Says of each sentence which of several agents it is about. Pure. */
import { listed } from './problem.ts';

type Said = { name: string; message: string };

/** `local and vps: 127.0.0.1:8000 does not answer`: each sentence once, with those it is about. */
export const saying = (all: readonly Said[]): string[] =>
  [...Map.groupBy(all, ({ message }) => message)].map(([message, who]) =>
    said({ names: who.map(({ name }) => name), message }),
  );

/** What the only agent says. */
export const unnamed = (all: readonly Said[]): string[] => all.map(({ message }) => message);

export const said = ({ names, message }: { names: readonly string[]; message: string }): string =>
  `${listed(names)}: ${message}`;
