/** The Caddyfile text that a new policy becomes on each of its sites. */
import { useAsked } from '../lib/use-asked.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { type Recipe, rendered, type Values } from '../recipes/schema.ts';

/** About as long as a pause between two words. */
const PAUSE_MS = 400;

/** @param values null while something is missing */
export function PolicyText({ recipe, values }: { recipe: Recipe; values: Values | null }) {
  const about = values && JSON.stringify([recipe.id, values]);
  const text = useAsked(about, (signal) => rendered(recipe.id, values ?? {}, signal), PAUSE_MS);
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
