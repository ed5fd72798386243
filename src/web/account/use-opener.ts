/** A button that opens a form, and takes the focus back when the form closes. */
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';

export type Opener = {
  isOpen: boolean;
  /** The attributes of the button. */
  opener: {
    type: 'button';
    ref: RefObject<HTMLButtonElement | null>;
    'aria-expanded': boolean;
    onClick: () => void;
  };
  /** Closes the form. The focus was in it and would be lost. */
  close: () => void;
};

export function useOpener(): Opener {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return {
    isOpen,
    opener: {
      type: 'button',
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => setIsOpen(!isOpen),
    },
    close: () => {
      button.current?.focus();
      setIsOpen(false);
    },
  };
}
