/** One question of the hub to an agent, declared once for both. */
import type { Static, TSchema } from 'elysia';

export type Call<Query extends TSchema = TSchema, Answer extends TSchema = TSchema> = Readonly<{
  path: string;
  query: Query;
  answer: Answer;
  /** Milliseconds that the answer may take. */
  deadline: number;
  /** Bytes of the answer. */
  limit: number;
  /** What an agent of an earlier release counts as, which has no such route. */
  missing: Static<Answer>;
}>;
