/** The live state of a site: its addresses, certificates, upstreams and last errors. */
import { useEffect } from 'preact/hooks';
import { get } from '../lib/api.ts';
import { plural } from '../lib/format.ts';
import { useHub } from '../lib/hub.ts';
import type { Address, LastError, SiteState } from '../lib/types.ts';
import { useLoad } from '../lib/use-load.ts';
import { Time } from '../parts/time.tsx';
import { linkTo } from './link.ts';

const EVERY_MS = 15_000;

export function StatePanel({ id }: { id: number }) {
  const { status } = useHub();
  const state = useLoad(`state ${id} ${status?.lastPublish?.at}`, (signal) =>
    get<SiteState>(`/vhosts/${id}/state`, signal),
  );
  const { reload } = state;
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);

  return (
    <section class="site-state-panel" aria-label="Live state" aria-busy={!state.data}>
      <h2>Live state</h2>
      {state.error && <p class="muted">{state.error}</p>}
      {state.data && (
        <>
          <ul class="facts">
            {state.data.addresses.map((address) => (
              <AddressFact key={`${address.name} ${address.port}`} address={address} />
            ))}
            {state.data.upstreams.map(({ address, up, error }) => (
              <li key={address}>
                <Lamp state={up === null ? 'unknown' : up ? 'good' : 'bad'} />
                <span>
                  Upstream <span class="mono">{address}</span>
                  {up === false ? ' is down' : up ? ' is up' : ''}
                  {error && (
                    <span class="fact-words">
                      {error.message} (<Time at={error.at} />)
                    </span>
                  )}
                </span>
              </li>
            ))}
          </ul>
          <ErrorFact title="Last certificate error" error={state.data.errors.acme} />
          <ErrorFact title="Last upstream error" error={state.data.errors.upstream} />
        </>
      )}
    </section>
  );
}

function Lamp({ state }: { state: 'good' | 'bad' | 'unknown' }) {
  return <span class={`lamp lamp-${state}`} aria-hidden="true" />;
}

function AddressFact({ address }: { address: Address }) {
  const { name, port, served, tls, certificate } = address;
  const reason = address.advice?.message ?? address.reason;
  const link = linkTo(address);
  const where = link ? (
    <a href={link} target="_blank" rel="noreferrer">
      {link}
    </a>
  ) : (
    <span class="mono">{`${name || 'any host'}:${port}`}</span>
  );
  const missing = tls && !certificate;
  const hasFault = missing || (certificate?.daysLeft ?? 0) < 0;
  return (
    <li>
      <Lamp state={!served ? 'unknown' : hasFault ? 'bad' : 'good'} />
      <span>
        {where} {!served && 'is not served'}
        {certificate && (
          <span class="fact-words">
            Certificate by {certificate.issuer},{' '}
            {certificate.daysLeft < 0
              ? 'expired'
              : certificate.daysLeft === 0
                ? 'valid for less than a day'
                : `valid for ${plural(certificate.daysLeft, 'day')}`}
            {!address.automated && ', not renewed automatically'}
          </span>
        )}
        {missing && reason && <span class="fact-words">{reason}</span>}
      </span>
    </li>
  );
}

function ErrorFact({ title, error }: { title: string; error: LastError }) {
  if (!error) return null;
  return (
    <div class={error.standing ? 'notice notice-warning' : 'notice notice-info'}>
      <strong>
        {title}, <Time at={error.at} />
        {!error.standing && ' (later requests succeeded)'}
      </strong>
      <pre class="proxy-words">{error.message}</pre>
      {error.retryAt && (
        <p>
          Caddy will retry <Time at={error.retryAt} />.
        </p>
      )}
    </div>
  );
}
