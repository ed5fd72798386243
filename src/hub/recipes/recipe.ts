/** What a recipe is: a form, and the Caddyfile text that its values become. */
import type { TSchema } from 'elysia';
import type { Wording } from '../../shared/caddyfile/dialect.ts';

/** Values by the names of a recipe's fields, valid by its schema. */
export type Values = Readonly<Record<string, unknown>>;

/** A line of Caddyfile text; with the field that it is made of, for a refusal to name. */
export type Line = string | { text: string; field: string };

export type Writing = {
  wording: Wording;
  /** Begins the name of every matcher, such as `@office-`, so that it collides with no other. */
  prefix: string;
};

export type Recipe = {
  /** As in `/recipes/:id`. */
  id: string;
  /** A policy is put before the config of any number of sites; a site recipe becomes the config of one. */
  kind: 'policy' | 'site';
  title: string;
  description: string;
  /** Every field has a title and a description. */
  fields: TSchema;
  /** What the proxy needs: the least version, and modules. */
  needs: { caddy?: string; modules?: string[] };
  /** Valid values. */
  example: Values;
  /** Lines without indentation of their own level: blocks inside are indented by tabs. */
  write(values: Values, writing: Writing): readonly Line[];
  /** The lines of a policy at the level of the site, before all others of it. */
  writeSite?(values: Values, writing: Writing): readonly Line[];
};
