/** An explanation for people who see no config: without addresses, ports, names of programs and what these say. Pure. */
import type { Judgement } from './judge.ts';
import type { Explanation } from './schemas.ts';
import { CAUSE_WORDS, type Step } from './words.ts';

const THINGS: Readonly<Record<Step, string>> = {
  name: 'The name of the site',
  port: 'The port',
  certificate: 'The certificate',
  policy: 'What guards the site',
  connect: 'The connection to the service',
  speak: 'What Caddy and the service speak',
  answer: 'The answer of the service',
};

const WORDS = {
  works: 'It works.',
  fails: 'It does not work.',
  unsure: 'It is not known whether it works.',
} as const;

export function forViewers({ explanation, causes }: Judgement): Explanation {
  const all = causes.map((code) => CAUSE_WORDS[code]);
  const [first, second] = all;
  const { verdict, asked } = explanation;
  return {
    ...explanation,
    words: first ? all.map(({ title }) => title).join(' Or: ') : WORDS[verdict],
    cure: first && !second ? { words: first.advice, operation: null } : null,
    steps: explanation.steps.map(({ step, ok }) => ({ step, ok, words: sentence(step, ok) })),
    asked: asked && { ...asked, location: null },
  };
}

function sentence(step: Step, ok: boolean | null): string {
  if (ok === null) return `${THINGS[step]}: not known.`;
  return ok ? `${THINGS[step]}: in order.` : `${THINGS[step]}: this is where it fails.`;
}
