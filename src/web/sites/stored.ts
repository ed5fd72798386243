/** A site as the hub stores it, with the ETag of that state. */
import { request } from '../lib/api.ts';
import type { Vhost } from '../lib/types.ts';

export type Stored = { site: Vhost; etag: string | undefined };

/** @throws ApiError; NOT_FOUND if there is no such site */
export const loadSite = async (id: number, signal?: AbortSignal): Promise<Stored> => {
  const { body, etag } = await request<Vhost>(`/vhosts/${id}`, signal ? { signal } : {});
  return { site: body, etag };
};
