/**
 * The words by which the agent's own checks are known in the access log. Each start makes one; those of earlier
 * starts are kept beside the log, so that their checks stay known when a file is indexed again.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { isObject, parseJson } from '../../../src/shared/json.ts';
import { writeDurably } from '../../../src/shared/system/files.ts';
import type { IsCheck } from '../line/classifier.ts';
import { CHECK_AGENT, CHECK_WORD_LENGTH } from '../line/entry.ts';

export type CheckWords = {
  /** The `User-Agent` of a check. Stores the word, unless it is stored: the log's folder may be new. */
  userAgent(): string;
  /** A word counts until the next start, and only here: who learns one cannot hide behind it. */
  isCheck: IsCheck;
  /** Drops the words of which no entry is left. @param oldest time of the oldest entry, in milliseconds since 1970 */
  forgetBefore(oldest: number): void;
};

/** A word and when it was made, in milliseconds since 1970. */
type Word = { word: string; from: number };

/** About 60 kB, for an agent that is started again and again. */
const MOST = 1_000;
const LONGEST = 1 << 20;

/**
 * @param file the path of the live file
 * @param isOwn whether an address is one of this machine's
 * @param now milliseconds since 1970
 */
export function createCheckWords(
  file: string,
  isOwn: (address: string) => boolean,
  now: () => number = Date.now,
): CheckWords {
  const path = `${file}.checks`;
  const own = { word: randomBytes(CHECK_WORD_LENGTH / 2).toString('hex'), from: now() };
  const userAgent = CHECK_AGENT + own.word;
  let words = [...readWords(path), own].slice(-MOST);
  let untils = untilsOf(words);
  let isStored = false;

  function store(): void {
    try {
      writeDurably(path, `${JSON.stringify(words)}\n`, 0o600);
      isStored = true;
    } catch {
      // Without it, the checks of this start are taken for visitors' once their file is indexed again.
    }
  }

  store();
  return {
    userAgent() {
      if (!isStored) store();
      return userAgent;
    },

    isCheck(word, time, address) {
      const until = untils.get(word);
      return until !== undefined && !(time >= until) && isOwn(address);
    },

    forgetBefore(oldest) {
      const kept = words.filter((one) => one === own || (untils.get(one.word) ?? 0) > oldest);
      if (kept.length === words.length) return;
      words = kept;
      untils = untilsOf(words);
      store();
    },
  };
}

/** When the next word was made. */
const untilsOf = (words: readonly Word[]): Map<string, number> =>
  new Map(words.map(({ word }, at) => [word, words[at + 1]?.from ?? Number.POSITIVE_INFINITY]));

/** None if the file is damaged. Caddy's user may write to the folder: only a plain file is read. */
function readWords(path: string): Word[] {
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size > LONGEST) return [];
    const list = parseJson(readFileSync(path, 'utf8'));
    return Array.isArray(list) ? list.filter(isWord) : [];
  } catch {
    return [];
  }
}

const isWord = (value: unknown): value is Word =>
  isObject(value) && typeof value.word === 'string' && typeof value.from === 'number';
