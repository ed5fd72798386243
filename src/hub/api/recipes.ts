/** `/recipes`: the forms that there are, and the Caddyfile text that their values become. */
import { Elysia, t } from 'elysia';
import { Failure } from '../../shared/failure.ts';
import { jsonBody } from '../../shared/json-body.ts';
import { createReadProxies } from '../agents/proxy.ts';
import { textParams } from '../http/params.ts';
import { route } from '../http/route.ts';
import { lackOf } from '../recipes/available.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { RECIPES, recipeOf } from '../recipes/registry.ts';
import { hashSecrets, keepSecrets } from '../recipes/secrets.ts';
import { standalone } from '../recipes/standalone.ts';
import { checkValues } from '../recipes/values.ts';
import type { ApiContext } from './context.ts';

/** Values by the names of a recipe's fields. */
const ValuesView = t.Record(t.String(), t.Unknown(), {
  description: 'values by the names of the recipe’s fields',
});

export const RecipeView = t.Object(
  {
    id: t.String(),
    kind: t.UnionEnum(['policy', 'site'], {
      description:
        '`policy`: comes before the configs of any number of vhosts; `site`: becomes the config of one',
    }),
    title: t.String(),
    description: t.String(),
    fields: t.Record(t.String(), t.Unknown(), {
      description:
        'JSON Schema of the values, with a title and a description of each field. `writeOnly` fields are secrets, which are never shown.',
    }),
    needs: t.Object(
      { caddy: t.Optional(t.String()), modules: t.Optional(t.Array(t.String())) },
      { description: 'the oldest version of Caddy, and the modules it must be built with' },
    ),
    available: t.Boolean({
      description: 'whether this proxy has the required version and modules, as far as known',
    }),
    reason: t.Optional(
      t.String({ description: 'the missing requirement; one sentence, for people' }),
    ),
    example: ValuesView,
  },
  { title: 'Recipe' },
);

const EXAMPLE = { networks: ['private_ranges'] };

export function recipeRoutes({ publisher, guard, bodyLimit }: ApiContext) {
  const readProxy = createReadProxies(publisher);
  return new Elysia({ name: 'recipes', prefix: '/recipes' })
    .use(guard)
    .get(
      '/',
      async () => {
        const proxy = await readProxy();
        return RECIPES.map((recipe) => viewRecipe(recipe, lackOf(recipe.needs, proxy)));
      },
      route({
        id: 'listRecipes',
        tag: 'Policies',
        summary: 'List all recipes',
        access: 'read',
        returns: t.Array(RecipeView),
        example: [
          {
            id: 'allow',
            kind: 'policy',
            title: 'Only some networks',
            description: 'Lets in only the networks you name.',
            fields: { type: 'object', properties: { networks: { type: 'array' } } },
            needs: {},
            available: true,
            example: EXAMPLE,
          },
        ],
      }),
    )
    .use(jsonBody(bodyLimit))
    .post(
      '/:id/render',
      async ({ params, body }) => {
        const recipe = recipeOf(params.id);
        if (!recipe) throw new Failure('NOT_FOUND', 'There is no such recipe.');
        const { id } = recipe;
        const given = checkValues(recipe, body.values);
        const { version } = await readProxy();
        const values = keepSecrets(id, await hashSecrets(id, given), null);
        return { config: standalone(recipe, values, version) };
      },
      route({
        id: 'renderRecipe',
        tag: 'Policies',
        summary: 'Turn values into Caddyfile text',
        description:
          'Stores nothing. The text is for the config of one vhost; the text of a policy has a place for the directives that follow it. Passwords become hashes. If a value is invalid, `field` says which, such as `users.0.password`.',
        access: 'write',
        params: textParams('allow'),
        body: t.Object({ values: ValuesView }),
        returns: t.Object({ config: t.String() }, { title: 'RenderedRecipe' }),
        bodies: { allow: { value: { values: EXAMPLE } } },
        example: {
          config:
            'route {\n\t@allow-outside not remote_ip private_ranges\n\trespond @allow-outside 403\n\thandle {\n\t\t# the directives of the site\n\t}\n}',
        },
      }),
    );
}

const viewRecipe = (recipe: Recipe, lack: string | null) => {
  const { id, kind, title, description, fields, needs, example } = recipe;
  return {
    id,
    kind,
    title,
    description,
    fields: Object.fromEntries(Object.entries(fields)),
    needs,
    available: lack === null,
    ...(lack === null ? {} : { reason: lack }),
    example: { ...example },
  };
};
