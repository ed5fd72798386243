/** Integers of schemas. */
import { type IntegerOptions, type TInteger, Type } from '@sinclair/typebox';

/**
 * An integer alone. `t.Integer` of Elysia takes its digits as text too: for each, it compiles a check at the start, and
 * has every answer that has one go through a transformation.
 */
export const integer = (options?: IntegerOptions): TInteger => Type.Integer(options);
