/** What a form edits: the draft of something stored, saved only over the state that it was made from. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from './api.ts';
import { useHub } from './hub.ts';
import { type Flash, useLeaveGuard } from './router.ts';
import { submitWith, useSubmit } from './use-form.ts';
import { useVerdict, type Verdict } from './use-verdict.ts';

/** What a form is about, such as a site. */
export type Subject<Stored, Draft> = {
  /** As it was loaded; null for a new one. */
  stored: Stored | null;
  /** What is edited if nothing is stored. */
  empty: Draft;
  draftOf: (stored: Stored) => Draft;
  isSame: (a: Draft, b: Draft) => boolean;
  /** What the hub is to preview while the user types; null: nothing yet. @param base as it is stored */
  operation?: (draft: Draft, base: Draft | null) => object | null;
  /**
   * @param over the state that the change is made to
   * @returns what is stored now, null if another page shows it, and what to say
   * @throws ApiError; PRECONDITION_FAILED if someone else has changed that state
   */
  save: (draft: Draft, over: Stored | null, how: How) => Promise<Saved<Stored>>;
  load: () => Promise<Stored>;
  /** Opens what is new, if it was stored although the answer got lost; null if it was not. */
  find?: (draft: Draft) => Promise<Saved<Stored> | null>;
  /** What to say of a change whose answer got lost. */
  wordsOf: (stored: Stored) => string;
  /** The draft with what someone else changed meanwhile; by default the draft. */
  merge?: (base: Draft, draft: Draft, theirs: Draft) => Draft;
  /** Called with each state that replaces the loaded one. */
  onStored?: ((stored: Stored) => void) | undefined;
};

type How = {
  /** Whether to replace what Caddy serves from elsewhere. */
  replace: boolean;
};
type Saved<Stored> = { stored: Stored | null; outcome: Flash };

export type Editor<Stored, Draft> = {
  stored: Stored | null;
  /** The draft of what is stored. */
  base: Draft | null;
  draft: Draft;
  dirty: boolean;
  busy: boolean;
  canSave: boolean;
  error: unknown;
  /** What to say of the last save, until the next change. */
  outcome: Flash | null;
  /** What the hub previews; null: nothing yet. */
  operation: object | null;
  verdict: Verdict;
  /** As someone else has changed it meanwhile: saved over it, or taken instead of the draft. */
  theirs: Stored | null;
  keep: () => Promise<void>;
  discard: () => void;
  /** Has another form’s change instead of what is stored and of the draft. */
  take: (stored: Stored) => void;
  set: (change: Partial<Draft>) => void;
  save: (replace?: boolean) => Promise<void>;
  /** Lets the user leave without a question. */
  release: () => void;
  form: RefObject<HTMLFormElement | null>;
  onSubmit: (event: Event) => void;
};

export function useEditor<Stored, Draft extends object>(
  subject: Subject<Stored, Draft>,
): Editor<Stored, Draft> {
  const { refresh, offline } = useHub();
  const { draftOf, isSame, empty, onStored } = subject;
  const [stored, setStored] = useState(subject.stored);
  const [draft, setDraft] = useState(() => (stored === null ? empty : draftOf(stored)));
  const [theirs, setTheirs] = useState<Stored | null>(null);
  const [outcome, setOutcome] = useState<Flash | null>(null);
  const [isReleased, setReleased] = useState(false);
  /** What was sent last. */
  const sent = useRef<{ mine: Draft; over: Stored | null }>(undefined);
  const [isUnmade, setUnmade] = useState(false);
  const base = stored === null ? null : draftOf(stored);
  const dirty = !isSame(base ?? empty, draft);

  const adopt = (now: Stored) => {
    setStored(() => now);
    setTheirs(null);
    onStored?.(now);
  };
  const take = (now: Stored) => {
    adopt(now);
    setDraft(draftOf(now));
    clear();
  };
  /** @param mine what was sent; what was typed since then stays */
  const finish = (now: Stored | null, said: Flash, mine: Draft) => {
    setOutcome(said);
    refresh();
    if (now === null) {
      setReleased(true);
      return;
    }
    adopt(now);
    setDraft((typed) => (isSame(typed, mine) ? draftOf(now) : typed));
  };
  const { busy, error, run, clear } = useSubmit(
    async (mine: Draft, over: Stored | null, replace: boolean) => {
      sent.current = { mine, over };
      setUnmade(false);
      try {
        const saved = await subject.save(mine, over, { replace });
        finish(saved.stored, saved.outcome, mine);
      } catch (reason) {
        if (!(reason instanceof ApiError) || reason.code !== 'PRECONDITION_FAILED') throw reason;
        const now = await subject.load().catch(() => null);
        if (now === null || !isSame(draftOf(now), mine)) {
          setTheirs(() => now);
          throw reason;
        }
        // It was our own change, whose answer got lost.
        finish(now, { kind: 'success', text: subject.wordsOf(now) }, mine);
      }
    },
  );
  const isLost = error instanceof ApiError && error.status === 0;
  useEffect(() => {
    const { mine, over } = sent.current ?? {};
    if (!isLost || offline || !mine || over === undefined) return;
    const look = async () => {
      if (over === null) {
        // What it opens leaves this page.
        setReleased(true);
        const made = await subject.find?.(mine).catch(() => undefined);
        if (!made) setReleased(false);
        if (made === undefined) return;
        clear();
        if (made) finish(made.stored, made.outcome, mine);
        else setUnmade(true);
        return;
      }
      const now = await subject.load().catch(() => null);
      if (now === null) return;
      clear();
      if (isSame(draftOf(now), mine)) {
        finish(now, { kind: 'success', text: subject.wordsOf(now) }, mine);
      } else if (isSame(draftOf(now), draftOf(over))) {
        setUnmade(true);
      } else {
        setTheirs(() => now);
      }
    };
    void look();
  }, [isLost, offline]);
  const save = (replace = false) => run(draft, stored, replace);
  const canSave = !busy && theirs === null && (stored === null || dirty);

  useLeaveGuard(dirty && !busy && !isReleased, 'Your changes will be lost.');
  const operation = subject.operation?.(draft, base) ?? null;
  const form = useRef<HTMLFormElement>(null);
  useFaultInView(form, error ?? outcome);
  return {
    stored,
    base,
    draft,
    dirty,
    busy,
    canSave,
    // What someone else changed is shown instead.
    error: theirs === null ? error : null,
    outcome: !dirty ? outcome : isUnmade ? UNMADE : null,
    operation,
    verdict: useVerdict(operation),
    theirs,
    async keep() {
      if (theirs === null) return;
      const mine = (base && subject.merge?.(base, draft, draftOf(theirs))) ?? draft;
      adopt(theirs);
      setDraft(mine);
      await run(mine, theirs, false);
    },
    discard() {
      if (theirs !== null) take(theirs);
    },
    take,
    set(change) {
      setDraft((old) => ({ ...old, ...change }));
      clear();
      setOutcome(null);
      setUnmade(false);
      setReleased(false);
    },
    save,
    release: () => setReleased(true),
    form,
    onSubmit: submitWith(() => canSave && save()),
  };
}

/** What to say of a change that did not reach the hub. */
const UNMADE: Flash = {
  kind: 'warning',
  text: 'The hub answers again. Your change was not made: save it again.',
};

/** Shows what is wrong: the first field or notice at fault. @param fault null if nothing is */
function useFaultInView(form: RefObject<HTMLFormElement | null>, fault: unknown): void {
  useEffect(() => {
    if (fault === null) return;
    const shown = form.current?.querySelector('[aria-invalid], [role=alert], .notice-warning');
    const show = () => shown?.scrollIntoView({ block: 'nearest' });
    show();
    // An editor above it measures its lines as they pass by, and so may move it.
    requestAnimationFrame(() => requestAnimationFrame(show));
  }, [form, fault]);
}
