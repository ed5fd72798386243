/** Boxes for the policies of a site, in the order in which they apply, and the way to a new one. */
import { get } from '../../lib/api.ts';
import type { Policy } from '../../lib/types.ts';
import { useLoad } from '../../lib/use-load.ts';
import { Tick } from '../../parts/tick.tsx';
import { summaryOf, withPolicy } from '../../placement/store.ts';
import type { Recipe } from '../../recipes/schema.ts';

type Props = {
  /** All there are; undefined until they are loaded. */
  policies: readonly Policy[] | undefined;
  recipes: readonly Recipe[] | undefined;
  /** The names of the site's own, in order. */
  chosen: readonly string[];
  /** Those that apply everywhere, but not here. */
  except: readonly string[];
  error: string | null;
  onChange: (change: { policies: string[] } | { except: string[] }) => void;
  /** @param recipe its id; null lets the user choose */
  onNew: (recipe: string | null) => void;
};

/** What most people look for; known before the recipes are, so that nothing moves. */
const NEW = [
  { recipe: 'basic-auth', label: 'Password …' },
  { recipe: 'allow', label: 'Only my network …' },
  { recipe: 'authelia', label: 'Sign-in with Authelia …' },
  { recipe: null, label: 'Other policy …' },
];

export function PolicyField({ policies = [], recipes, chosen, except, error, ...on }: Props) {
  const known = new Map(policies.map((policy) => [policy.name, policy]));
  const rest = policies.filter(({ name }) => !chosen.includes(name));
  const usual = rest.filter(({ everywhere }) => everywhere);
  const others = rest.filter(({ everywhere }) => !everywhere).map(({ name }) => name);
  const onChange = (policies: string[]) => on.onChange({ policies });
  const tick = (name: string, isOn: boolean) =>
    onChange(
      isOn
        ? withPolicy(chosen, name, known.get(name)?.recipe ?? '')
        : chosen.filter((one) => one !== name),
    );
  const leaveOut = (name: string, isOut: boolean) => {
    const others = except.filter((one) => one !== name);
    on.onChange({ except: isOut ? [...others, name] : others });
  };
  const moveButton = (name: string, arrow: string, when: string, to: number) => (
    <button
      type="button"
      class="quiet"
      aria-label={`Apply ${name} ${when}`}
      disabled={to < 0 || to === chosen.length}
      onClick={() => onChange(chosen.filter((one) => one !== name).toSpliced(to, 0, name))}
    >
      {arrow}
    </button>
  );
  const summary = ({ id, recipe: kind, values }: Policy) => {
    const recipe = recipes?.find((one) => one.id === kind);
    const words = [recipe?.title, summaryOf(recipe?.fields, values)].filter(Boolean).join(' · ');
    return (
      <a class="small muted cut" href={`/policies/${id}`}>
        {words || kind}
      </a>
    );
  };
  return (
    <fieldset class="choices" aria-invalid={error ? true : undefined}>
      <legend>Policies</legend>
      {error && <p class="field-error">{error}</p>}
      <ul class="policy-boxes plain">
        {usual.map((policy) => (
          <li key={policy.name}>
            <span>
              {policy.name}
              {except.includes(policy.name) ? ' is left out here' : ' applies to every site'}
            </span>
            {summary(policy)}
            <Tick
              class="strong"
              label={`Leave ${policy.name} out here`}
              checked={except.includes(policy.name)}
              onTick={(isOut) => leaveOut(policy.name, isOut)}
            >
              Leave out here
            </Tick>
          </li>
        ))}
        {[...chosen, ...others].map((name, at) => {
          const policy = known.get(name);
          const isChosen = at < chosen.length;
          return (
            <li key={name}>
              <Tick class="strong" checked={isChosen} onTick={(isOn) => tick(name, isOn)}>
                {name}
              </Tick>
              {policy && summary(policy)}
              {isChosen && chosen.length > 1 && (
                <span>
                  {moveButton(name, '↑', 'earlier', at - 1)}
                  {moveButton(name, '↓', 'later', at + 1)}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      <div class="line baseline">
        <span class="nowrap muted">New</span>
        <div class="buttons row">
          {NEW.map(({ recipe, label }) => (
            <button key={label} type="button" onClick={() => on.onNew(recipe)}>
              {label}
            </button>
          ))}
        </div>
      </div>
    </fieldset>
  );
}

type Policies = {
  /** Undefined until they are loaded. */
  policies: readonly Policy[] | undefined;
  /** Of both kinds. */
  recipes: readonly Recipe[] | undefined;
  /** Why they could not be loaded, in a sentence; null if they could. */
  error: string | null;
  /** Adds one that was just made. */
  add: (policy: Policy) => void;
};

export function usePolicies(): Policies {
  const policies = useLoad('policies', (signal) => get<Policy[]>('/policies', signal));
  const recipes = useLoad('recipes', (signal) => get<Recipe[]>('/recipes', signal));
  return {
    policies: policies.data,
    recipes: recipes.data,
    error: policies.error ?? recipes.error,
    add: (policy) => policies.set((all = []) => [...all, policy]),
  };
}
