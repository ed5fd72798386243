/** Asks how a site would answer as it is in the form, before anybody else sees it. */
import { useState } from 'preact/hooks';
import { request } from '../lib/api.ts';
import type { Check, Preview } from '../lib/types.ts';
import { useSubmit } from '../lib/use-submit.ts';
import { tidied } from './words.ts';

/** What the site answered through one proxy. */
export type Tried = NonNullable<Preview['tried']>[number];

/** `fill` asks what comes now, and `try` whether the check passes. */
export type Purpose = 'fill' | 'try';

export type Trial = {
  /** What for a request is under way; null if none is. */
  busy: Purpose | null;
  /** What came, unless the form has changed since. */
  result: { purpose: Purpose; tried: readonly Tried[] } | null;
  /** Why nothing came, unless the form has changed since. */
  error: unknown;
  run: (purpose: Purpose) => Promise<void>;
};

/**
 * @param operationWith the change of the form, with that check
 * @param onStatus called with what came, to fill it in
 */
export function useTrial(
  check: Check,
  operationWith: (check: Check) => object,
  onStatus: (status: number) => void,
): Trial {
  const [purpose, setPurpose] = useState<Purpose>('try');
  const [tried, setTried] = useState<{ of: string; by: readonly Tried[] } | null>(null);
  const now = JSON.stringify(operationWith(check));
  const [last, setLast] = useState(now);
  const { busy, error, run } = useSubmit(async (why: Purpose) => {
    setPurpose(why);
    setLast(now);
    setTried(null);
    const { path, within } = check;
    const asked = why === 'try' ? check : { path, ...(within !== undefined && { within }) };
    const body = await ask(operationWith(asked));
    const status = why === 'fill' ? body.find((one) => one.status !== null)?.status : undefined;
    const next = typeof status === 'number' ? tidied({ ...check, status }) : check;
    setTried({ of: JSON.stringify(operationWith(next)), by: body });
    if (typeof status === 'number') onStatus(status);
  });
  return {
    busy: busy ? purpose : null,
    result: tried?.of === now ? { purpose, tried: tried.by } : null,
    error: last === now ? error : null,
    run,
  };
}

/** @throws ApiError; Error if Caddy would refuse the site, or is not asked for it */
async function ask(operation: object): Promise<readonly Tried[]> {
  const { body } = await request<Preview>('/preview?try=true', {
    body: operation,
  });
  if (!body.valid) throw new Error('Caddy does not accept this yet: see the preview.');
  if (!body.tried?.length) throw new Error('A site that is not served cannot be tried.');
  return body.tried;
}
