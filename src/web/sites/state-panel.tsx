/** The live state of a site: its addresses, certificates, upstreams and last errors. */
import type { ComponentChildren } from 'preact';
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

export function StatePanel({ state: { data, error }, problem, known, silent, health }: Props) {
  return (
    <section class="card tight state-panel" aria-label="Live state" aria-busy={!data}>
      {!data && !error && <SkeletonRows rows={1} label="Loading the live state" />}
      {error && health.level !== 'bad' && <p class="muted">Not known: {error}</p>}
      {error && health.level === 'bad' && (
        <ul class="plain">
          <Fact mark="bad" more={health.text}>
            Caddy does not serve this site.
          </Fact>
        </ul>
      )}
      {data && !error && (
        <>
          <ul class="columns plain">
            <Facts state={data} problem={problem} known={known} silent={silent} />
          </ul>
          <ErrorFact title="Last certificate error" error={data.errors.acme} />
          {!isShown(data) && <ErrorFact title="Last upstream error" error={data.errors.upstream} />}
        </>
      )}
    </section>
  );
}

type Mark = 'good' | 'bad' | 'unknown';

type FactProps = {
  /** Null: all is well, as the mark of the whole site says. */
  mark: Mark | null;
  /** Below it, in small letters. */
  more?: ComponentChildren;
  children: ComponentChildren;
};

const Fact = ({ mark, more, children }: FactProps) => (
  <li class="line baseline">
    {mark && <span class={`lamp lamp-${mark}`} aria-hidden="true" />}
    <span>
      {children}
      {more && <span class="block small muted">{more}</span>}
    </span>
  </li>
);

type FactsProps = { state: SiteState } & Pick<Props, 'problem' | 'known' | 'silent'>;

function Facts({ state, problem, known, silent }: FactsProps) {
  const { enabled, check, failing, agents = [], missing = [], addresses, upstreams } = state;
  const { level, text } = servedOf(state, silent);
  const failingAgents = agents.filter((one) => one.problem !== null || !isServedBy(one));
  // What is wrong has a mark of its own.
  const mark = level === 'good' && problem ? null : level;
  return (
    <>
      <Fact mark={mark} more={level === 'bad' && problem?.text}>
        {mark ? <strong>{text}</strong> : text}
      </Fact>
      {check && (
        <Fact mark="bad" more={<span class="bad">{check.reason}</span>}>
          The check fails since <ClockTime at={check.failingSince} />
        </Fact>
      )}
      {failing && (
        <Fact mark="bad" more={<span class="bad">{failing.words}</span>}>
          It was found to fail at <ClockTime at={failing.since} />
        </Fact>
      )}
      {enabled &&
        failingAgents.map((agent) => (
          <Fact key={agent.name} mark="bad" more={agent.problem}>
            <a href={`/proxies/${agent.name}`}>{agent.name}</a>{' '}
            {isServedBy(agent) ? 'serves it.' : 'does not serve it.'}
          </Fact>
        ))}
      {known.map((one) => (
        <Fact key={one.key} mark="unknown">
          {titleOf(one)} <Known problem={one} />
        </Fact>
      ))}
      {missing.map((name) => (
        <Fact key={name} mark={silent.includes(name) ? 'unknown' : 'bad'}>
          <a href={`/proxies/${name}`}>{name}</a>
          {silent.includes(name) ? ': the agent does not answer.' : ': Caddy is down.'}
        </Fact>
      ))}
      {addresses.map((address) => (
        <AddressFact key={`${address.name} ${address.port}`} address={address} />
      ))}
      {upstreams.map((upstream) => (
        <UpstreamFact key={upstream.address} upstream={upstream} />
      ))}
    </>
  );
}

const isServedBy = ({ addresses }: NonNullable<SiteState['agents']>[number]): boolean =>
  addresses.some(({ served }) => served);

/** Whether an upstream that is down already shows the last upstream error. */
const isShown = ({ upstreams, errors }: SiteState): boolean =>
  upstreams.some(({ error }) => error !== null && errors.upstream?.message.includes(error.message));

/** By whether it is up; null: not known. */
const UP = new Map([
  [true, { mark: null, words: 'is up' }],
  [false, { mark: 'bad', words: 'is down' }],
  [null, { mark: 'unknown', words: 'state unknown' }],
] as const);

function UpstreamFact({ upstream }: { upstream: SiteState['upstreams'][number] }) {
  const { address, up, error, since, latencyMs, unknown } = upstream;
  const { mark = null, words } = UP.get(up) ?? {};
  return (
    <Fact
      mark={mark}
      more={
        error ? (
          <>
            {error.message} (<Time at={error.at} />)
          </>
        ) : (
          up === null && unknown
        )
      }
    >
      Upstream <span class="mono">{address}</span>
      {up === null && ':'} {words}
      {/* That it is up was first seen after the last restart, which says nothing about it. */}
      {up === false && since && (
        <>
          {' '}
          since <ClockTime at={since} />
        </>
      )}
      {latencyMs !== null && `, connects in ${latencyMs} ms`}
    </Fact>
  );
}

function AddressFact({ address }: { address: Address }) {
  const { name, port, served, tls, certificate } = address;
  const link = linkTo(address);
  const isMissing = tls && !certificate;
  const hasFault = isMissing || (certificate?.daysLeft ?? 0) < 0;
  const faultMark = hasFault ? 'bad' : null;
  const reason = isMissing && (address.advice?.message ?? address.reason);
  return (
    <Fact
      mark={served ? faultMark : 'unknown'}
      more={certificate ? certificateWords(address, certificate) : reason}
    >
      {link ? (
        <a href={link} target="_blank" rel="noreferrer">
          {link}
        </a>
      ) : (
        <span class="mono">{`${name || 'any host'}:${port}`}</span>
      )}{' '}
      {!served && 'is not served'}
    </Fact>
  );
}

type Certificate = NonNullable<Address['certificate']>;

function certificateWords({ authority, automated }: Address, certificate: Certificate): string {
  const words =
    authority === 'internal' && !certificate.overdue
      ? 'Certificate by Caddy’s own authority, renews itself'
      : `Certificate by ${certificate.issuer}, ${validityOf(certificate)}`;
  return automated ? words : `${words}, not renewed automatically`;
}

function validityOf({ daysLeft }: Certificate): string {
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
