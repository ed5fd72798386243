/** The sites that came from Nginx Proxy Manager, each with where it is reached on Caddy's ports. */
import { get } from '../../../web/lib/api.ts';
import { plural } from '../../../web/lib/format.ts';
import { usePublishes } from '../../../web/lib/hub.ts';
import { linkTo } from '../../../web/lib/link.ts';
import type { Address, SiteState, Vhost } from '../../../web/lib/types.ts';
import { useEvery, useLoad } from '../../../web/lib/use-load.ts';

/** What the import tags its sites with. */
export const NPM_TAG = 'npm';

/** Certificates arrive within seconds. */
const EVERY_MS = 15_000;

/** A longer list would be slow. */
const MAX_SHOWN = 200;

export function NpmTrial() {
  const publishes = usePublishes();
  const { data } = useLoad(`sites of NPM ${publishes}`, (signal) =>
    get<Vhost[]>('/vhosts', signal),
  );
  const states = useLoad(`states of NPM ${publishes}`, (signal) =>
    get<SiteState[]>('/vhosts/state', signal),
  );
  useEvery(EVERY_MS, states.reload);
  const addressesOf = new Map(states.data?.map(({ id, addresses }) => [id, addresses]));
  const sites = data?.filter(({ tags }) => tags.includes(NPM_TAG)) ?? [];
  const on = sites.filter(({ enabled }) => enabled);
  const off = sites.length - on.length;
  return (
    <>
      <p>
        {on.length === 0
          ? 'Once imported, each site that is on is linked here, on Caddy’s ports.'
          : 'Each link leads to a site on Caddy’s ports, if its name leads to this machine.'}
        {off > 0 && (
          <>
            {' '}
            <a href={`/sites?show=off&tag=${NPM_TAG}`}>{plural(off, 'imported site')}</a>{' '}
            {off === 1 ? 'is' : 'are'} off.
          </>
        )}
      </p>
      {on.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        <ul class="plan-sites plain box" aria-label="Links to the imported sites" tabIndex={0}>
          {on.slice(0, MAX_SHOWN).map(({ id, domain }) => (
            <li key={id}>
              {addressesOf
                .get(id)
                ?.map((address, at) => <AddressLine key={at} address={address} />) ?? (
                <span class="mono">{domain}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {on.length > MAX_SHOWN && (
        <p class="muted">and {plural(on.length - MAX_SHOWN, 'more site')}</p>
      )}
    </>
  );
}

function AddressLine({ address }: { address: Address }) {
  const link = linkTo(address);
  if (link === null) return <div class="mono muted">{address.name || 'all other names'}</div>;
  if (address.tls && address.certificate === null) {
    return (
      <div>
        <span class="mono">{address.name}</span>{' '}
        <span class="muted">has no certificate yet: public ones need step 4</span>
      </div>
    );
  }
  return (
    <div>
      <a class="mono" href={link} target="_blank" rel="noreferrer">
        {link}
      </a>
    </div>
  );
}
