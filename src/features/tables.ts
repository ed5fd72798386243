/** What the core has to know of the tables of features: what is sealed in them, and what a recovery ends. */
import { sealed as channels } from './channels/tables.ts';
import { recovery, sealed as signIn } from './sign-in/tables.ts';

export const SEALED_BY_FEATURES = [...signIn, ...channels] as const;

/** Rows of users that end when somebody who is locked out gets in again; `factors`: if they asked for that. */
export const ENDED_BY_RECOVERY = recovery;
