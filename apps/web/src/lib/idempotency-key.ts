import { useRef } from 'react';
import { newId } from './new-id.ts';

/**
 * The idempotency key of what a form or button sends: the same content keeps its key until it is forgotten, so that
 * repeating a call whose response was lost has no further effect.
 */
export function useIdempotencyKey() {
  const sent = useRef<{ content: string; key: string }>(undefined);
  return {
    keyOf: (content: unknown): string => {
      const text = JSON.stringify(content) ?? '';
      if (sent.current?.content !== text) sent.current = { content: text, key: newId() };
      return sent.current.key;
    },
    forget: () => {
      sent.current = undefined;
    },
  };
}
