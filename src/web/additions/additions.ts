/** What can be added to a site: two that are a line each, and the recipes for sites. */
import { request } from '../lib/api.ts';
import type { Recipe } from '../recipes/recipes.ts';
import type { JsonSchema, Values } from '../recipes/schema.ts';

export type Addition = {
  description: string;
  fields: JsonSchema;
  /** Why this Caddy cannot do it; null if it can. */
  lacking: string | null;
  /** The Caddyfile text. @throws ApiError if a value is refused */
  write: (values: Values, signal?: AbortSignal) => Promise<string>;
};

/** By id, with what the button says; known before the recipes are, so that nothing moves. */
export const ADDITIONS = {
  compress: 'Compression',
  upload: 'Upload limit',
  'https-upstream': 'Self-signed upstream',
  balance: 'Several upstreams',
  paths: 'Upstreams by path',
  redirect: 'Redirect',
  static: 'Static files',
  'error-page': 'Error page',
} as const;
export type AdditionId = keyof typeof ADDITIONS;

const OWN: Partial<Record<AdditionId, Addition>> = {
  compress: {
    description: 'Compresses responses for browsers that support it.',
    fields: {},
    lacking: null,
    write: async () => 'encode zstd gzip',
  },
  upload: {
    description: 'Refuses requests with a larger body (413).',
    fields: {
      properties: { size: { type: 'string', title: 'Largest upload', examples: ['100MB'] } },
      required: ['size'],
    },
    lacking: null,
    write: async ({ size }) => `request_body {\n\tmax_size ${String(size).replace(/\s/g, '')}\n}`,
  },
};

/** @param recipes of the hub. @returns undefined if it has no such recipe */
export function additionOf(id: AdditionId, recipes: readonly Recipe[]): Addition | undefined {
  const recipe = recipes.find((one) => one.id === id);
  return OWN[id] ?? (recipe && fromRecipe(recipe));
}

const fromRecipe = ({ id, description, fields, available, reason }: Recipe): Addition => ({
  description,
  fields,
  lacking: available ? null : (reason ?? 'Your Caddy does not support this.'),
  write: async (values, signal) => {
    const options = { body: { values }, ...(signal ? { signal } : {}) };
    return (await request<{ config: string }>(`/recipes/${id}/render`, options)).body.config;
  },
});
