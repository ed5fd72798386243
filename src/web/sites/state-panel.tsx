/** The live state of a site: its addresses, certificates, upstreams and last errors. */
import { plural } from '../lib/format.ts';
import { linkTo } from '../lib/link.ts';
import type { Address, LastError, Problem, SiteState } from '../lib/types.ts';
import type { Loaded } from '../lib/use-load.ts';
import { SkeletonRows } from '../parts/loading.tsx';
import { ClockTime, Time } from '../parts/time.tsx';
import { Known } from '../status/known.tsx';
import { titleOf } from '../status/problems.ts';
import { type Health, type SiteProblem, servedOf } from './problem.ts';

type Props = {
  state: Loaded<SiteState>;
  /** The worst problem that the status reports of the site. */
  problem: SiteProblem | undefined;
  /** Those of its problems that somebody knows of. */
  known: readonly Problem[];
  /** The proxies whose agents do not answer. */
  silent: readonly string[];
  /** How the site is without its live state. */
  health: Health;
};

export function StatePanel({ state, problem, known, silent, health }: Props) {
  return (
    <section class="card site-state-panel below" aria-label="Live state" aria-busy={!state.data}>
      <h2>Live state</h2>
      {state.error &&
        (health.level === 'bad' ? (
          <ul class="columns plain">
            <li class="line baseline">
              <Lamp state="bad" />
              <span>
                Caddy does not serve this site.
                <span class="block small muted">{health.text}</span>
              </span>
            </li>
          </ul>
        ) : (
          <p class="muted">Not known: {state.error}</p>
        ))}
      {!state.data && !state.error && <SkeletonRows rows={2} label="Loading the live state" />}
      {state.data && !state.error && (
        <>
          <ul class="columns plain">
            <ServedFact state={state.data} problem={problem} silent={silent} />
            {state.data.check && <CheckFact check={state.data.check} />}
            {state.data.failing && <FailingFact failing={state.data.failing} />}
            {state.data.agents?.map((agent) => (
              <ProxyFact key={agent.name} agent={agent} />
            ))}
            {known.map((one) => (
              <li class="line baseline" key={one.key}>
                <Lamp state="unknown" />
                <span>
                  {titleOf(one)} <Known problem={one} />
                </span>
              </li>
            ))}
            {state.data.missing?.map((name) => (
              <li class="line baseline" key={name}>
                <Lamp state={silent.includes(name) ? 'unknown' : 'bad'} />
                <span>
                  <a href={`/proxies/${name}`}>{name}</a>
                  {silent.includes(name) ? ': the agent does not answer.' : ': Caddy is down.'}
                </span>
              </li>
            ))}
            {state.data.addresses.map((address) => (
              <AddressFact key={`${address.name} ${address.port}`} address={address} />
            ))}
            {state.data.upstreams.map((upstream) => (
              <UpstreamFact key={upstream.address} upstream={upstream} />
            ))}
          </ul>
          <ErrorFact title="Last certificate error" error={state.data.errors.acme} />
          {!isShown(state.data) && (
            <ErrorFact title="Last upstream error" error={state.data.errors.upstream} />
          )}
        </>
      )}
    </section>
  );
}

function Lamp({ state }: { state: 'good' | 'bad' | 'unknown' }) {
  return <span class={`lamp lamp-${state}`} aria-hidden="true" />;
}

/** Whether an upstream that is down already shows the last upstream error. */
const isShown = ({ upstreams, errors }: SiteState): boolean =>
  upstreams.some(({ error }) => error !== null && errors.upstream?.message.includes(error.message));

type ServedProps = { state: SiteState } & Pick<Props, 'problem' | 'silent'>;

function ServedFact({ state, problem, silent }: ServedProps) {
  const { level, text } = servedOf(state, silent);
  return (
    <li class="line baseline">
      <Lamp state={level} />
      <span>
        {text}
        {level === 'bad' && problem && <span class="block small muted">{problem.text}</span>}
      </span>
    </li>
  );
}

const CheckFact = ({ check }: { check: NonNullable<SiteState['check']> }) => (
  <li class="line baseline">
    <Lamp state="bad" />
    <span>
      The check fails since <ClockTime at={check.failingSince} />
      <span class="block small bad">{check.reason}</span>
    </span>
  </li>
);

const FailingFact = ({ failing }: { failing: NonNullable<SiteState['failing']> }) => (
  <li class="line baseline">
    <Lamp state="bad" />
    <span>
      It was found to fail at <ClockTime at={failing.since} />
      <span class="block small bad">{failing.words}</span>
    </span>
  </li>
);

type OneAgent = NonNullable<SiteState['agents']>[number];

function ProxyFact({ agent: { name, addresses, problem } }: { agent: OneAgent }) {
  const isServed = addresses.some(({ served }) => served);
  return (
    <li class="line baseline">
      <Lamp state={isServed && problem === null ? 'good' : 'bad'} />
      <span>
        <a href={`/proxies/${name}`}>{name}</a> {isServed ? 'serves it.' : 'does not serve it.'}
        {problem && <span class="block small muted">{problem}</span>}
      </span>
    </li>
  );
}

type Upstream = SiteState['upstreams'][number];

function UpstreamFact({ upstream }: { upstream: Upstream }) {
  const { address, up, error, since, latencyMs, unknown } = upstream;
  return (
    <li class="line baseline">
      <Lamp state={up === null ? 'unknown' : up ? 'good' : 'bad'} />
      <span>
        Upstream <span class="mono">{address}</span>
        {up === null ? ': state unknown' : up ? ' is up' : ' is down'}
        {/* That it is up was first seen after the last restart, which says nothing about it. */}
        {up === false && since && (
          <>
            {' '}
            since <ClockTime at={since} />
          </>
        )}
        {latencyMs !== null && `, connects in ${latencyMs} ms`}
        {up === null && unknown && <span class="block small muted">{unknown}</span>}
        {error && (
          <span class="block small muted">
            {error.message} (<Time at={error.at} />)
          </span>
        )}
      </span>
    </li>
  );
}

function AddressFact({ address }: { address: Address }) {
  const { name, port, served, tls, certificate, authority } = address;
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
    <li class="line baseline">
      <Lamp state={!served ? 'unknown' : hasFault ? 'bad' : 'good'} />
      <span>
        {where} {!served && 'is not served'}
        {certificate && (
          <span class="block small muted">
            {authority === 'internal' && !certificate.overdue
              ? 'Certificate by Caddy’s own authority, renews itself'
              : `Certificate by ${certificate.issuer}, ${validityOf(certificate)}`}
            {!address.automated && ', not renewed automatically'}
          </span>
        )}
        {missing && reason && <span class="block small muted">{reason}</span>}
      </span>
    </li>
  );
}

function validityOf({ daysLeft }: NonNullable<Address['certificate']>): string {
  if (daysLeft < 0) return 'expired';
  return daysLeft === 0 ? 'valid for less than a day' : `valid for ${plural(daysLeft, 'day')}`;
}

function ErrorFact({ title, error }: { title: string; error: LastError | null }) {
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
          Caddy will retry at <ClockTime at={error.retryAt} />.
        </p>
      )}
    </div>
  );
}
