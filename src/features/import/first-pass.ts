/** The first reading of a file that is imported: what is too long or too deep is read no further. */
import { createPauses } from '../../shared/async.ts';
import { findDisputed } from '../../shared/caddyfile/check.ts';
import { dialectsFor } from '../../shared/caddyfile/dialect.ts';
import { type Finding, toFault } from '../../shared/caddyfile/frame.ts';
import { replacesTooMuch } from '../../shared/caddyfile/placeholders.ts';
import { MAX_DEPTH } from '../../shared/caddyfile/structure.ts';
import {
  MAX_ALL_WORDS,
  MAX_WORDS,
  type Token,
  type TokenizeOptions,
  tokenizeInTurns,
} from '../../shared/caddyfile/tokenizer.ts';
import { Failure } from '../../shared/failure.ts';

/**
 * Nobody accepts what it refuses, but others would read all of it first. A brace that some Caddys read
 * otherwise comes first too: where it closes an option, another one could be left out with it.
 * @throws Failure PROXY_REJECTED
 */
export async function assertReadable(
  file: string,
  dialect: TokenizeOptions,
  pause = createPauses(),
): Promise<void> {
  const refuse = (finding: Finding): never => {
    const { message: detail, hint, line } = toFault(file, '', finding) ?? { message: '', line: 1 };
    throw new Failure('PROXY_REJECTED', 'This file cannot be imported; nothing was changed.', {
      detail,
      hint,
      at: { line },
    });
  };
  if (replacesTooMuch(file)) {
    refuse({ at: file.indexOf('{$'), message: 'There are too many {$…} in the file.' });
  }
  for (const one of dialectsFor(dialect, [file])) {
    const faultOf = createBounds();
    await tokenizeInTurns(file, one, pause, (token) => {
      const found = faultOf(token);
      if (found) refuse(found);
    });
  }
}

/** Looks at one token after the other for what no site and no preamble may have. */
function createBounds(): (token: Token) => Finding | null {
  let [all, ofBlock, depth] = [0, 0, 0];
  return (token) => {
    const at = token.start;
    const disputed = findDisputed([token]);
    if (disputed) return disputed;
    all++;
    ofBlock++;
    if (token.text === '{') depth++;
    // The block of a snippet itself does not count.
    if (depth > MAX_DEPTH + 1) {
      return { at, message: `Blocks can be nested at most ${MAX_DEPTH} deep.` };
    }
    if (ofBlock > MAX_WORDS) {
      return { at, message: `This is too long: more than ${MAX_WORDS} words.` };
    }
    if (all > MAX_ALL_WORDS) {
      return { at, message: `All sites together have more than ${MAX_ALL_WORDS} words.` };
    }
    if (token.text === '}') {
      depth = Math.max(depth - 1, 0);
      if (depth === 0) ofBlock = 0;
    }
    return null;
  };
}
