/** The recipes for policies, to choose one of. */
import { Icon } from '../parts/icon.tsx';
import type { Recipe } from '../recipes/recipes.ts';

/** @param hrefOf where the choice leads */
export function RecipeCards({
  recipes,
  hrefOf,
}: {
  recipes: readonly Recipe[];
  hrefOf: (recipe: Recipe) => string;
}) {
  return (
    <ul class="recipe-cards">
      {recipes.map((recipe) => (
        <li key={recipe.id} class="card">
          <h2>{recipe.available ? <a href={hrefOf(recipe)}>{recipe.title}</a> : recipe.title}</h2>
          <p class="muted">{recipe.description}</p>
          {!recipe.available && (
            <p class="recipe-reason">
              <Icon name="warn" /> {recipe.reason ?? 'Your Caddy does not support this.'}
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
