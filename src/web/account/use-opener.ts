/** A button that opens a form, and takes the focus back when the form closes. */
import { useRef, useState } from 'preact/hooks';

export function useOpener() {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return {
    isOpen,
    /** The attributes of the button. */
    opener: {
      type: 'button',
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => setIsOpen(!isOpen),
    } as const,
    /** Closes the form. The focus was in it and would be lost. */
    close: () => {
      button.current?.focus();
      setIsOpen(false);
    },
  };
}
