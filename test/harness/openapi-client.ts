/** Calls operations of the OpenAPI document by their ids, as a generated client would. */
import { createChecker, type Document, operationsOf } from './openapi.ts';
import { ask } from './stack.ts';

export type Input = {
  params?: Record<string, string | number>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  json?: unknown;
  raw?: string | FormData;
};

/**
 * @param origin the hub's, for example `http://127.0.0.1:3000`
 * @param onAnswer gets the operation, status and error code of each answer
 */
export function createClient(
  document: Document,
  origin: () => string,
  onAnswer: (id: string, status: number, code: string | undefined) => void,
) {
  const checker = createChecker(document);
  const byId = new Map(operationsOf(document).map((one) => [one.operation.operationId, one]));

  return {
    /** @throws Error if the answer is not as the document says */
    async call<T = { code?: string }>(id: string, { params, query, ...init }: Input = {}) {
      const placed = byId.get(id);
      if (!placed) throw new Error(`there is no operation ${id}`);
      const path = placed.path.replace(/\{(\w+)\}/g, (_, name) => String(params?.[name] ?? 999));
      const url = `${origin()}${path}?${new URLSearchParams(query)}`;
      const method = placed.method.toUpperCase();
      const isStream = '200' in placed.operation.responses && id === 'tailLogs';
      const answer = isStream
        ? await head(url, init.headers)
        : await ask<T>(url, { method, ...init });
      const faults = checker.answer(placed, answer);
      if (faults.length > 0) throw new Error(`${id} ${answer.status}: ${faults.join('; ')}`);
      const body = answer.body as T;
      onAnswer(id, answer.status, (body as { code?: string } | null | undefined)?.code);
      return { status: answer.status, body, headers: answer.headers };
    },
  };
}

/** A stream never ends, so only its first chunk is read. */
async function head(url: string, headers: Record<string, string> = {}) {
  const stopping = new AbortController();
  const response = await fetch(url, { headers, signal: stopping.signal });
  if (!response.ok) {
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  }
  const first = await response.body?.getReader().read();
  stopping.abort();
  const text = new TextDecoder().decode(first?.value);
  return { status: response.status, headers: response.headers, text, body: undefined };
}
