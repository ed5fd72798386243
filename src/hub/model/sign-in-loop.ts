/** Sites that would ask themselves whether a visitor is signed in: nobody could reach the sign-in. Pure. */
import { maskPlaceholders } from '../../shared/caddyfile/placeholders.ts';
import { startsLine, tokenize } from '../../shared/caddyfile/tokenizer.ts';
import { Failure } from '../../shared/failure.ts';
import { isLoopback } from '../../shared/loopback.ts';
import { isUpstream } from '../caddyfile/address.ts';
import { fillUpstream } from '../caddyfile/render.ts';
import type { Policy } from '../recipes/policy.ts';
import type { Change, Step } from './changes.ts';
import type { Vhost } from './vhost.ts';

/** Recipes that ask a service at their `address` about each request. */
const ASKING = ['authelia', 'authentik', 'forward-auth'];

/**
 * A change that someone makes just now. A site that was stored like this before can still be changed.
 * @throws Failure, when it is applied: INVALID_REQUEST with the policy and the site; and as `change`
 */
export const withoutLoops =
  <T>(change: Change<T>): Change<T> =>
  async (set, time) => {
    const plan = await change(set, time);
    if ('next' in plan) for (const step of plan.steps) assertNoLoop(step);
    return plan;
  };

function assertNoLoop(step: Step): void {
  for (const vhost of step.vhosts) {
    const policy = loopOf(vhost);
    const before = policy && earlier(step, vhost);
    if (policy && !(before && loopOf(before))) throw loop(policy, vhost, step);
  }
}

/** A vhost before a step. */
function earlier(step: Step, vhost: Vhost): Vhost | null {
  if (step.kind === 'vhost') return step.before;
  if (step.kind !== 'policy' || !step.before) return null;
  const { before } = step;
  const policies = vhost.policies.map((one) => (one.id === before.id ? before : one));
  return { ...vhost, policies };
}

/** The policy whose sign-in service is the vhost itself, unless it lets some requests through. */
function loopOf(vhost: Vhost): Policy | undefined {
  const asking = vhost.policies.filter(
    ({ recipe, values }) =>
      ASKING.includes(recipe) && !isSome(values.exemptPaths) && !isSome(values.exemptNetworks),
  );
  if (asking.length === 0) return undefined;
  const targets = new Set(upstreamsOf(vhost).map(serviceAt));
  return asking.find(({ values }) => targets.has(serviceAt(String(values.address))));
}

const isSome = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Where the requests of a site may go: the words after each `reverse_proxy`, and its `to`. */
function upstreamsOf({ config, upstream }: Vhost): string[] {
  const tokens = tokenize(maskPlaceholders(fillUpstream(config, upstream)).masked);
  const found: string[] = [];
  let isTarget = false;
  for (const [index, { text }] of tokens.entries()) {
    if (startsLine(tokens, index)) isTarget = text === 'reverse_proxy' || text === 'to';
    else if (isTarget && isUpstream(text)) found.push(text);
  }
  return found;
}

/** The same for all spellings of a host and port. */
function serviceAt(upstream: string): string {
  const [, scheme = 'http', rest = ''] = /^(?:(\w+):\/\/)?(.*)$/.exec(upstream.toLowerCase()) ?? [];
  const [, host = rest, port] = /^(.*?)(?::(\d+))?$/.exec(rest) ?? [];
  const name = isLoopback(host.replace(/^\[|\]$/g, '')) ? 'localhost' : host;
  return `${name}:${port ?? (scheme === 'https' ? 443 : 80)}`;
}

function loop(policy: Policy, { domain }: Vhost, step: Step): Failure {
  const isPolicy = step.kind === 'policy';
  return new Failure(
    'INVALID_REQUEST',
    `The policy ${policy.name} asks the service at ${policy.values.address}, which is the site ${domain} itself: nobody could sign in.`,
    {
      hint: isPolicy
        ? 'Take the policy off that site first, or exempt the paths of the sign-in.'
        : 'Leave the policy off this site, or exempt the paths of the sign-in in the policy.',
      at: { field: isPolicy ? 'address' : 'policies' },
    },
  );
}
