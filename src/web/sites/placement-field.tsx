/** Boxes for where a site is served, if there are several proxies: on all of them, or on some. */
import { useProxyNames } from '../lib/hub.ts';

type Props = {
  /** The names of the site's own; empty: all, and those that are added later. */
  chosen: readonly string[];
  error: string | null;
  onChange: (chosen: string[]) => void;
};

export function PlacementField({ chosen, error, onChange }: Props) {
  const proxies = useProxyNames();
  if (proxies.length === 0) return null;
  const isEverywhere = chosen.length === 0;
  const tick = (name: string, isOn: boolean) =>
    onChange(proxies.filter((one) => (one === name ? isOn : chosen.includes(one))));
  return (
    <fieldset class="choices" aria-invalid={error ? true : undefined}>
      <legend>Where it is served</legend>
      {error && <p class="field-error">{error}</p>}
      <label class="check">
        <input
          type="checkbox"
          checked={isEverywhere}
          onChange={() => onChange(isEverywhere ? [...proxies] : [])}
        />
        <span>
          Everywhere <small class="muted">also on proxies that are added later</small>
        </span>
      </label>
      <div class="placements">
        {proxies.map((name) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => tick(name, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
