/** What several agents know of a vhost, as one state: the worst of theirs. Pure. */

import { keyOfEndpoint } from '../../model/endpoints.ts';
import type { Vhost } from '../../model/vhost.ts';
import { said, saying } from '../problem.ts';
import { type MirrorFacts, mirrorAdvice } from './advice.ts';
import { isNowhere, upstreamsOf, warningsOf } from './state.ts';
import type { FailingView, VhostState } from './view.ts';

/** What one of several agents knows. `isBehind`: its proxy lacks accepted changes. */
type StateOf = { name: string; state: VhostState; isBehind?: boolean };

type Address = VhostState['addresses'][number];
type Kind = keyof VhostState['errors'];

/**
 * @param given of the agents the vhost is placed on, those that could be asked
 * @param missing the names of the others
 */
export function worstState(
  { id, domain, enabled }: Vhost,
  given: readonly StateOf[],
  missing: readonly string[],
): VhostState {
  const all = advisedStates(given.map(({ name, state }) => ({ name, states: [state] }))).flatMap(
    ({ name, states }) =>
      states.map(({ problem, addresses, upstreams, check, failing, warnings, errors }) => ({
        name,
        problem,
        addresses,
        upstreams,
        check,
        ...(failing && { failing }),
        warnings,
        errors,
      })),
  );
  const problems = all.flatMap(({ name, problem }) =>
    problem === null ? [] : { label: name, message: problem },
  );
  const downOn = enabled
    ? [...given.flatMap((one) => (isServed(one) ? [] : one.name)), ...missing]
    : [];
  // What others serve stays, with its certificates and upstreams.
  const serving = all.filter(
    ({ name, addresses }) => !downOn.includes(name) || !isNowhere(addresses),
  );
  const seen = serving.length > 0 ? serving : all;
  const lastOf = (kind: Kind) =>
    all
      .flatMap(({ errors }) => errors[kind] ?? [])
      .toSorted((a, b) => (a.at < b.at ? 1 : -1))
      .at(0) ?? null;
  return {
    id,
    domain,
    enabled,
    problem: problems.length > 0 ? saying(problems).join('; ') : null,
    addresses: worstAddresses(seen.flatMap(({ addresses }) => addresses)),
    upstreams: upstreamsOf(all),
    check: togetherChecks(all),
    ...failingIn(all),
    warnings: togetherWarnings(all.map((one) => ({ label: one.name, warnings: one.warnings }))),
    errors: { acme: lastOf('acme'), upstream: lastOf('upstream') },
    agents: all,
    ...(given.some(({ name, state }) => state.checking && !downOn.includes(name)) && {
      checking: true as const,
    }),
    ...(downOn.length > 0 && { downOn }),
    ...(missing.length > 0 && { missing: [...missing] }),
  };
}

/** After a change, an agent in step may not have looked at its proxy yet. */
const isServed = ({ state: { problem, addresses }, isBehind }: StateOf): boolean =>
  problem === null && !(isBehind && addresses.every(({ served }) => !served));

/** With advice for names that have a certificate on another agent. */
export function advisedStates<State extends Omit<VhostState, 'check'>>(
  all: readonly { name: string; states: readonly State[] }[],
): readonly { name: string; states: readonly State[] }[] {
  // Its own advice is all there is, and a copy of 10,000 states takes a while.
  if (all.length === 1) return all;
  const factsOf = (agent: string, address: Address): MirrorFacts => ({
    ...address,
    agent,
    certified: address.certificate !== null,
  });
  const adviceOf = mirrorAdvice(
    all.flatMap(({ name, states }) =>
      states.flatMap(({ addresses }) => addresses.map((one) => factsOf(name, one))),
    ),
  );
  return all.map(({ name, states }) => ({
    name,
    states: states.map((state) => {
      const addresses = state.addresses.map((one) => ({
        ...one,
        advice: adviceOf(factsOf(name, one)),
      }));
      return { ...state, addresses, warnings: warningsOf({ ...state, addresses }) };
    }),
  }));
}

/** It fails if it fails at one of them, since the first did. */
function togetherChecks(
  all: readonly { name: string; check: VhostState['check'] }[],
): VhostState['check'] {
  const failing = all.flatMap(({ name, check }) =>
    check === null ? [] : { since: check.failingSince, label: name, message: check.reason },
  );
  const [failingSince] = failing.map(({ since }) => since).toSorted();
  return failingSince === undefined ? null : { failingSince, reason: saying(failing).join('; ') };
}

/** The explanation is that of one of them. */
function failingIn(
  all: readonly { name: string; failing?: FailingView }[],
): Pick<VhostState, 'failing'> {
  const found = all.find(({ failing }) => failing);
  if (!found?.failing) return {};
  return { failing: { ...found.failing, words: said([found.name], found.failing.words) } };
}

/** Each once, as the agent knows it that serves it worst. */
function worstAddresses(all: readonly Address[]): Address[] {
  const found = [...Map.groupBy(all, keyOfEndpoint).values()];
  return found.flatMap((same) => same.toSorted(worseFirst).slice(0, 1));
}

const worseFirst = (a: Address, b: Address): number =>
  rankOf(a) - rankOf(b) ||
  Date.parse(a.certificate?.notAfter ?? '') - Date.parse(b.certificate?.notAfter ?? '') ||
  0;

function rankOf({ served, tls, certificate, checkedAt }: Address): number {
  if (!served) return 0;
  if (certificate !== null) return 2;
  return tls && checkedAt !== null ? 1 : 3;
}

/** What visitors notice at several agents, each once, with those it is about. */
export function togetherWarnings(
  all: readonly { label: string; warnings: VhostState['warnings'] }[],
): VhostState['warnings'] {
  const found = all.flatMap(({ label, warnings }) => warnings.map((one) => ({ label, ...one })));
  return [...Map.groupBy(found, ({ code }) => code)].flatMap(([code, same]) =>
    saying(same).map((message) => ({ code, message })),
  );
}
