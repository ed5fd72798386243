/** What the user points at in a plot: a column, by pointer or keys, and the part that they drag over. */
import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useState } from 'preact/hooks';
import { LEFT, RIGHT } from './plot.tsx';

type Pointed = TargetedPointerEvent<HTMLElement>;

/** Pixels; anything shorter is a shaky click. */
const LEAST_DRAG = 5;

const within = (value: number, most: number): number => Math.max(0, Math.min(most, value));

const roomOf = (plot: HTMLElement): number => plot.clientWidth - LEFT - RIGHT;

/** From 0 to 1 of the columns' width. */
const partOf = ({ currentTarget: plot, clientX }: Pointed): number =>
  within((clientX - plot.getBoundingClientRect().left - LEFT) / roomOf(plot), 1);

/**
 * @param columns how many the plot has
 * @param onDrag called with the ends of what was dragged over, from 0 to 1 of the columns' width
 * @returns the column, null if there is none, what is being dragged over, and handlers for the element
 */
export function useCursor(
  columns: number,
  onDrag: (from: number, to: number) => void,
  onDblClick: () => void,
) {
  const [at, setAt] = useState<number | null>(null);
  const [start, setStart] = useState<number | null>(null);
  const column = at === null ? null : within(Math.floor(at * columns), columns - 1);
  const ends = start === null || at === null ? null : [start, at];
  const drag = ends && { from: Math.min(...ends), to: Math.max(...ends) };

  const handlers = {
    onPointerDown(event: Pointed) {
      setAt(partOf(event));
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setStart(partOf(event));
    },
    onPointerMove: (event: Pointed) => setAt(partOf(event)),
    onPointerUp({ currentTarget }: Pointed) {
      setStart(null);
      if (drag && (drag.to - drag.from) * roomOf(currentTarget) >= LEAST_DRAG) {
        onDrag(drag.from, drag.to);
      }
    },
    onPointerCancel: () => setStart(null),
    onPointerLeave(event: Pointed) {
      if (event.pointerType !== 'touch') setAt(null);
    },
    onDblClick,
    onBlur: () => setAt(null),
    onKeyDown(event: TargetedKeyboardEvent<HTMLElement>) {
      const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -columns, End: columns };
      if (!(event.key in moves)) return;
      event.preventDefault();
      const next = within((column ?? -1) + moves[event.key as keyof typeof moves], columns - 1);
      setAt((next + 0.5) / columns);
    },
  };
  return { column, drag, handlers };
}
