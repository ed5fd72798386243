/** Chooses where a site forwards to from the containers beside Caddy; says of each other one why Caddy does not reach it. */
import { useProxyNames } from '../../../web/lib/hub.ts';
import { Dialog } from '../../../web/parts/dialog.tsx';
import { Icon } from '../../../web/parts/icon.tsx';
import type { ContainerView } from '../routes.ts';

type Props = {
  containers: readonly ContainerView[];
  /** Called with an address by which Caddy reaches one. */
  onChoose: (address: string) => void;
  onClose: () => void;
};

export function ContainerDialog({ containers, onChoose, onClose }: Props) {
  const proxies = useProxyNames();
  return (
    <Dialog title="Choose a container" onClose={onClose}>
      {proxies.length > 0 && (
        <p class="muted">
          An address is for Caddy on the proxy that is named with it: serve the site only there.
        </p>
      )}
      <ul class="lines plain">
        {inOrder(containers).map(({ agent, name, image, state, site, ...one }) => {
          const unreached = unreachedReason(one);
          return (
            <li key={`${agent} ${name}`}>
              <strong>{name}</strong>{' '}
              <span class="small muted">
                {[image, state, ...(proxies.length > 0 ? [agent] : [])].join(' · ')}
                {site && (
                  <>
                    {' · '}
                    <a href={`/sites/${site.id}`}>its site</a>
                  </>
                )}
              </span>
              {unreached === null ? (
                <div class="buttons row">
                  {one.ports.map(
                    ({ port, address }) =>
                      address !== null && (
                        <button key={port} type="button" onClick={() => onChoose(address)}>
                          <span class="mono">{address}</span>{' '}
                          <small class="muted">port {port}</small>
                        </button>
                      ),
                  )}
                </div>
              ) : (
                <div class="recipe-reason warn small">
                  <Icon name="warn" /> {unreached}
                </div>
              )}
              {site === null && one.reason !== null && (
                <div class="small muted">No site of its own: {one.reason}</div>
              )}
            </li>
          );
        })}
      </ul>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** Why it cannot be chosen; null if it can. */
export function unreachedReason({
  addresses,
  ports,
  unreached,
}: Pick<ContainerView, 'addresses' | 'ports' | 'unreached'>): string | null {
  if (ports.some(({ address }) => address !== null)) return null;
  if (unreached !== null) return unreached;
  const at = addresses.length > 0 ? ` It is at ${addresses.join(' and ')}.` : '';
  return `It does not say on which port it listens.${at}`;
}

/** Those that can be chosen first, then by name. */
const inOrder = (containers: readonly ContainerView[]): ContainerView[] =>
  containers.toSorted(
    (a, b) =>
      Number(unreachedReason(a) !== null) - Number(unreachedReason(b) !== null) ||
      a.name.localeCompare(b.name),
  );
