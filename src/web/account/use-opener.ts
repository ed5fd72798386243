/** A button that opens and closes a form, and gets the focus back from it. */
import { useRef, useState } from 'preact/hooks';

export function useOpener() {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return {
    isOpen,
    /** For the button. */
    opener: {
      type: 'button',
      ref: button,
      'aria-expanded': isOpen,
      onClick: () => setIsOpen(!isOpen),
    } as const,
    /** The focus was in the form, which goes. */
    close: () => {
      button.current?.focus();
      setIsOpen(false);
    },
  };
}
