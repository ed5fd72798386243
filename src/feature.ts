/**
 * A feature: all that the rest of the program knows of a folder in `src/features/`. Its `feature.ts` is read first, by
 * people as well; it loads the rest of the folder only where that runs.
 */
import type { AgentHalf } from '../agent/core.ts';
import type { HubPlan } from './hub/core.ts';
import type { PlanQuestion } from './program/cli/api/plan-question.ts';
import type { Command } from './program/cli/command.ts';
import type { Importer } from './program/cli/importer.ts';
import type { SettingsReader } from './program/settings-reader.ts';

export type Feature = Readonly<{
  /** That of its folder in `src/features/` and, if an agent has a half of it, in `agent/features/`. */
  name: string;
  /** The features that it does not work without. */
  needs?: readonly string[];
  /** In the order of `--help`. @param importers those of all features @param questions those of all features */
  commands?: (
    importers: readonly Importer[],
    questions: readonly PlanQuestion[],
  ) => Promise<readonly FeatureCommand[]>;
  /** What can be asked of a change that a command plans. */
  questions?: () => Promise<readonly PlanQuestion[]>;
  /** What `signalbox import` takes besides a Caddyfile. @param questions as of `commands` */
  importers?: (questions: readonly PlanQuestion[]) => Promise<readonly Importer[]>;
  /** Its half in a hub. */
  hub?: ReadHubHalf;
  /** Its half in an agent. */
  agent?: ReadAgentHalf;
}>;

/** `follows`: the command of the core that it stands behind. */
export type FeatureCommand = Command & Readonly<{ follows: string }>;

/** Reads its settings, and adds to the faults of the reader what is wrong with them. Asks nobody. */
export type ReadHubHalf = (read: SettingsReader) => HubPlan;
export type ReadAgentHalf = (read: SettingsReader) => AgentPlan;

export type AgentPlan = Readonly<{
  /** Paths that no site may open, such as a socket. */
  ownPaths?: readonly string[];
  /** Whether it keeps something in the data folder, which no other agent may use then. */
  keepsInDataDir?: boolean;
  load: () => Promise<AgentHalf>;
}>;
