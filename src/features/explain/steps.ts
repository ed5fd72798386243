/** What is said of a step in which no cause was found. Pure. */
import type { Facts } from './facts.ts';
import type { NameFinding, UpstreamFinding } from './wire.ts';
import type { Step } from './words.ts';

type State = { ok: boolean | null; words: string };

const NO_UPSTREAM: State = { ok: null, words: 'The site forwards to no upstream.' };

export function stepWords(step: Step, facts: Facts): State {
  switch (step) {
    case 'name':
      return nameWords(facts);
    case 'port':
      return portWords(facts);
    case 'certificate':
      return certificateWords(facts);
    case 'policy':
      return policyWords(facts);
    case 'connect':
      return upstreamWords(facts, connectWords);
    case 'speak':
      return upstreamWords(facts, speakWords);
    case 'answer':
      return answerWords(facts);
  }
}

const NAMES: Readonly<Record<NameFinding['state'], (host: string, at: string) => State>> = {
  own: (host) => ({ ok: true, words: `${host} points to this machine.` }),
  public: (host, at) => ({
    ok: null,
    words: `${host} points to ${at}; whether a router passes that on to this machine is not seen from here.`,
  }),
  private: (host, at) => ({ ok: null, words: `${host} points to ${at}.` }),
  loopback: (host, at) => ({ ok: null, words: `${host} points to ${at}.` }),
  none: (host) => ({ ok: null, words: `This machine finds no address for ${host}.` }),
  silent: (host) => ({
    ok: null,
    words: `The name servers of this machine do not answer for ${host}.`,
  }),
  skipped: (host) => ({
    ok: null,
    words: `Where ${host || 'the name'} points is only known where visitors are.`,
  }),
};

function nameWords({ name, host, visited }: Facts): State {
  const state = NAMES[name.state](host, name.addresses.join(' and '));
  if (state.ok !== null || !visited) return state;
  return { ok: true, words: `Visitors came within the last day. ${state.words}` };
}

function portWords({ listener, port }: Facts): State {
  return listener.state === 'open'
    ? { ok: true, words: `Caddy listens on port ${port}.` }
    : { ok: null, words: `Port ${port} was not looked at.` };
}

function certificateWords({ certificate, tls }: Facts): State {
  if (certificate.state === 'plain' || !tls) {
    return { ok: true, words: 'Visitors use plain HTTP: no certificate is needed.' };
  }
  const isThere = certificate.state === 'valid' || certificate.state === 'own';
  return { ok: isThere ? true : null, words: certificate.words };
}

function policyWords({ asked, policies }: Facts): State {
  if (asked === null) return { ok: null, words: 'The site was not asked.' };
  const which = policies.length > 0 ? ` (${policies.join(', ')})` : '';
  if (asked.bySignIn || (asked.landed === 401 && asked.by === null)) {
    return { ok: true, words: `Visitors are asked to sign in${which}.` };
  }
  const words = asked.from === null ? `Visitors get in${which}.` : guestWords(asked.from, which);
  return { ok: true, words };
}

/** @param from the network of those who get in @param which policies say so */
export const guestWords = (from: string, which = ''): string =>
  `Visitors from ${from} get in; this machine does not${which}.`;

/** @param words of one upstream of the page itself */
function upstreamWords({ upstreams }: Facts, words: (one: UpstreamFinding) => State): State {
  const own = upstreams.filter(({ signIn }) => !signIn);
  if (own.length === 0) return NO_UPSTREAM;
  const all = own.map(words);
  const isOk = all.every(({ ok }) => ok === true);
  return { ok: isOk ? true : null, words: all.map((one) => one.words).join(' ') };
}

function connectWords({ address, connects, own, unknown }: UpstreamFinding): State {
  if (own === 'site') return { ok: true, words: `${address} is another site of this Caddy.` };
  if (unknown !== null) return { ok: null, words: `${address}: ${unknown}` };
  return connects === 'open'
    ? { ok: true, words: `${address} takes connections.` }
    : { ok: null, words: `${address} was not asked.` };
}

const PROTOCOLS = { http: 'HTTP', https: 'HTTPS', h2c: 'HTTP/2', other: '' } as const;

function speakWords({ address, speaks, wanted, own }: UpstreamFinding): State {
  if (own === 'site') return { ok: true, words: `${address} is another site of this Caddy.` };
  return speaks === 'http'
    ? { ok: true, words: `${address} speaks ${PROTOCOLS[wanted]}.` }
    : { ok: null, words: `What ${address} speaks was not looked at.` };
}

function answerWords({ asked, upstreams }: Facts): State {
  const own = upstreams.filter(({ signIn }) => !signIn);
  if (own.length === 0) return NO_UPSTREAM;
  if (asked === null || asked.status === null) return { ok: null, words: 'There was no answer.' };
  if (asked.by === null && asked.error !== null) {
    return { ok: null, words: `Caddy answers ${asked.status} in its place.` };
  }
  // What wants TLS may say so by plain HTTP.
  const ok = own.some(({ speaks }) => speaks === 'tls') ? null : true;
  return { ok, words: `It answers ${asked.status} after ${Math.round(asked.ms)} ms.` };
}
