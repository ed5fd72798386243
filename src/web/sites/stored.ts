/** A site as the hub has it, and the tag that says which state of it this is. */
import { request } from '../lib/api.ts';
import type { Vhost } from '../lib/types.ts';

export type Stored = { site: Vhost; etag: string | undefined };

export const loadSite = async (id: number, signal?: AbortSignal): Promise<Stored> => {
  const { body, etag } = await request<Vhost>(`/vhosts/${id}`, signal ? { signal } : {});
  return { site: body, etag };
};
