/** Why a change was refused, with the proxy's words and how to fix it. */
import { ApiError, sentenceOf } from '../lib/api.ts';
import { Notice } from './notice.tsx';

export function RefusedNotice({ error }: { error: unknown }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <Notice kind="error" title={sentenceOf(error)} detail={known?.detail} hint={known?.hint} />
  );
}
