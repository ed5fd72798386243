/** What people may do, from the least to the most. */

/** `viewer` looks, `editor` changes sites and policies, `owner` changes who may do what. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];
