/** The Caddyfile text that a new policy becomes on each of its sites. */
import { useEffect, useState } from 'preact/hooks';
import { request } from '../lib/api.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import type { Recipe, Values } from '../recipes/schema.ts';

/** About as long as a pause between two words. */
const PAUSE_MS = 400;

/** @param values null while something is missing */
export function PolicyText({ recipe, values }: { recipe: Recipe; values: Values | null }) {
  const [text, setText] = useState<string | null>(null);
  const body = JSON.stringify({ values });
  useEffect(() => {
    if (values === null) {
      setText(null);
      return;
    }
    const own = new AbortController();
    const timer = setTimeout(() => {
      const path = `/recipes/${recipe.id}/render`;
      // What is invalid is said when it is saved.
      request<{ config: string }>(path, {
        method: 'POST',
        body: { values },
        signal: own.signal,
      }).then(
        ({ body }) => setText(body.config),
        () => !own.signal.aborted && setText(null),
      );
    }, PAUSE_MS);
    return () => {
      own.abort();
      clearTimeout(timer);
    };
  }, [recipe.id, body]);
  return (
    <section class="preview-box" aria-label="Preview">
      <h2>Preview</h2>
      {text === null ? (
        <p class="muted">Once the form is filled in, its Caddyfile text appears here.</p>
      ) : (
        <>
          <p class="muted">On each of its sites, the Caddyfile has this around the config.</p>
          <CodeBlock text={text} label="Caddyfile text of the policy" />
        </>
      )}
    </section>
  );
}
