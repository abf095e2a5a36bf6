import { useCallback, useState } from 'react';

export interface DialogState {
  isOpen: boolean;
  onClose: () => void;
}

/** What a dialog asks about. It stays while the dialog closes. */
export function useAsked<Subject>() {
  const [subject, setSubject] = useState<Subject>();
  const [isOpen, setIsOpen] = useState(false);
  const ask = useCallback((about: Subject) => {
    setSubject(() => about);
    setIsOpen(true);
  }, []);
  return { subject, ask, dialog: { isOpen, onClose: () => setIsOpen(false) } };
}
