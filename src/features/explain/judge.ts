/** Draws the conclusion from what was found: the first step that fails, why, and what to do. Pure. */
import { visible } from '../../shared/visible.ts';
import { CAUSES } from './causes.ts';
import {
  type Change,
  type Evidence,
  type Facts,
  isCaddysError,
  pathOf,
  type Row,
} from './facts.ts';
import type { Explanation } from './schemas.ts';
import { guestWords, stepWords } from './steps.ts';
import { CAUSE_WORDS, type Cause, STEPS, type Step } from './words.ts';

type Match = { row: Row; evidence: Evidence };

export type Judgement = {
  /** The operation of its cure is still missing. */
  explanation: Explanation;
  /** Those that fit: one if it fails, maybe several if that is not sure. */
  causes: readonly Cause[];
  /** What would cure it, if a change of the site does. */
  change: Change | null;
  /** Whether it fails for everyone who asks for the path. */
  isTotal: boolean;
};

export function judge(facts: Facts): Judgement {
  const matches = CAUSES.flatMap((row): Match[] => {
    const evidence = row.test(facts);
    return evidence === null ? [] : [{ row, evidence }];
  });
  const certain = matches.find(({ evidence }) => !evidence.isDoubtful);
  const fitting = certain ? [certain] : matches;
  const [first] = fitting;
  const doubt = first ? null : doubtOf(facts);
  const verdict = certain ? 'fails' : matches.length > 0 || doubt !== null ? 'unsure' : 'works';
  const only = fitting.length === 1 ? first : undefined;
  const explanation: Explanation = {
    verdict,
    step: first ? CAUSE_WORDS[first.row.code].step : null,
    cause: only?.row.code ?? null,
    words: visible(wordsOf(facts, fitting, doubt)),
    cure: only
      ? { words: only.evidence.cure ?? CAUSE_WORDS[only.row.code].advice, operation: null }
      : null,
    steps: STEPS.map((step) => {
      const { ok, words } = stateOf(step, facts, matches);
      return { step, ok, words: visible(words) };
    }),
    asked: askedOf(facts),
  };
  return {
    explanation,
    causes: fitting.map(({ row }) => row.code),
    change: only?.evidence.change ?? null,
    isTotal: certain !== undefined && isTotal(certain.row.code, facts),
  };
}

/** Causes in the answer that everyone gets, from whatever network, device or browser. */
const TOTAL_ANSWERS: readonly Cause[] = [
  'REDIRECT_LOOP',
  'PROXY_NOT_TRUSTED',
  'HOST_REFUSED',
  'UPSTREAM_ERROR',
];

/**
 * Not by its name, port or certificate, which others may see otherwise, nor by what guards it: people with a session
 * get in. Of several upstreams, one that fails may be that of other paths or visitors.
 */
function isTotal(cause: Cause, facts: Facts): boolean {
  const { upstreams, asked } = facts;
  if (asked === null || upstreams.filter(({ signIn }) => !signIn).length !== 1) return false;
  if (TOTAL_ANSWERS.includes(cause)) return true;
  const { step } = CAUSE_WORDS[cause];
  const isBefore = step === 'connect' || step === 'speak';
  const isRefused = cause === 'SPEAKS_TLS' && asked.landed === 400;
  return isBefore && (isRefused || asked.fault !== null || isCaddysError(facts));
}

function wordsOf(facts: Facts, fitting: readonly Match[], doubt: string | null): string {
  const [first, second] = fitting;
  if (second)
    return `It is one of these. ${fitting.map(({ evidence }) => evidence.words).join(' Or: ')}`;
  if (first) return first.evidence.words;
  return doubt ?? worksWords(facts);
}

function worksWords({ asked, path }: Facts): string {
  if (asked === null || asked.status === null) return 'Nothing is wrong.';
  const to =
    asked.leads === null || asked.location === null ? '' : ', a redirect that visitors follow';
  const time = `after ${Math.round(asked.ms)} ms`;
  const works = `It works: GET ${pathOf(path)} is answered with ${asked.status} ${time}${to}.`;
  return asked.from === null ? works : `${works} ${guestWords(asked.from)}`;
}

/** Why nothing can be said, although no cause was found; null: nothing speaks against it. */
function doubtOf(facts: Facts): string | null {
  const { served, host, port, upstreams, asked } = facts;
  if (!served) return `Caddy does not serve ${host || 'this site'} on port ${port}.`;
  const open = upstreams.find(({ unknown, signIn }) => unknown !== null && !signIn);
  if (open) return `Whether the upstream ${open.address} answers depends: ${open.unknown}`;
  if (asked === null) return 'The site could not be asked.';
  if (asked.fault !== null && asked.leads === null) {
    const how = asked.fault === 'late' ? 'gives no answer within 5 s' : 'ends without an answer';
    return `The request ${how}${asked.error ? `: ${asked.error}` : ''}.`;
  }
  if (asked.bySignIn && (asked.landed ?? 0) >= 400 && ![401, 403].includes(asked.landed ?? 0)) {
    return `The sign-in service answers ${asked.landed}: whether anybody gets in depends on what it expects.`;
  }
  if (asked.landed === 400 || asked.landed === 421) {
    return `GET ${pathOf(facts.path)} is answered with ${asked.landed}: the service does not understand the request, or not from here.`;
  }
  if (asked.by === null && upstreams.length > 0 && (asked.landed ?? 0) >= 500) {
    return `Caddy answers ${asked.landed} in place of the service${asked.error ? `: ${asked.error}` : ''}.`;
  }
  return null;
}

function stateOf(step: Step, facts: Facts, matches: readonly Match[]) {
  const own = matches.filter(({ row }) => CAUSE_WORDS[row.code].step === step);
  const failing = own.find(({ evidence }) => !evidence.isDoubtful);
  if (failing) return { ok: false, words: failing.evidence.words };
  const [doubtful] = own;
  return doubtful ? { ok: null, words: doubtful.evidence.words } : stepWords(step, facts);
}

function askedOf({ asked }: Facts): Explanation['asked'] {
  if (asked === null) return null;
  const { status, location, ms } = asked;
  return { status, location, ms };
}
