/** What a translation of nginx text finds on its way. Pure. */
import { named, type Remark } from '../notes.ts';
import { shown } from './words.ts';

export type Findings = {
  remarks: readonly Remark[];
  unsayable: readonly string[];
  /** Each is said once. */
  remark(level: Remark['level'], text: string): void;
  /** @param text of nginx that there is no translation of */
  cannot(text: string): void;
  /** @param sentence why nginx itself would not take it, or why nobody can follow it */
  refuse(sentence: string): void;
  /** A name for a matcher that no other has. */
  name(kind: string): string;
};

export function createFindings(): Findings {
  const remarks = new Map<string, Remark>();
  const untranslated = new Set<string>();
  const refusals = new Set<string>();
  const numbers = new Map<string, number>();
  return {
    get remarks() {
      return [...remarks.values()];
    },
    get unsayable() {
      if (untranslated.size === 0) return [...refusals];
      return [...refusals, `This nginx text has no translation: ${named([...untranslated])}.`];
    },
    remark: (level, text) => void remarks.set(text, { level, text }),
    cannot: (text) => void untranslated.add(shown(text)),
    refuse: (sentence) => void refusals.add(sentence),
    name(kind) {
      const number = (numbers.get(kind) ?? 0) + 1;
      numbers.set(kind, number);
      return `${kind}${number}`;
    },
  };
}
