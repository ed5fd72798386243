/** One question of the hub to an agent, declared once for both. */
import type { TSchema } from 'elysia';

export type Call<Query extends TSchema = TSchema, Answer extends TSchema = TSchema> = Readonly<{
  path: string;
  query: Query;
  answer: Answer;
  /** Milliseconds that the answer may take; without, as many as that to a publish. */
  deadline?: number;
  /** Bytes of the answer; without, few. */
  limit?: number;
  /** Why the agent answers that there is no such thing. */
  missing?: string;
}>;

/** The same with a JSON body instead. */
export type BodyCall<Body extends TSchema = TSchema, Answer extends TSchema = TSchema> = Omit<
  Call<TSchema, Answer>,
  'query'
> &
  Readonly<{ body: Body }>;
