import { isValidElement, type ReactNode } from 'react';
import { createStore } from './store.ts';

/** An alert above the page after an action in a dialog or on the previous screen. Kept in memory, not in the URL. */
interface Flash {
  tone: 'success' | 'error';
  message: ReactNode;
  isShown: boolean;
}

const flash = createStore<Flash | undefined>(undefined);

/** With `afterNavigation` it is shown on the next screen too. @returns hides it, if it is still shown */
export function flashSuccess(message: ReactNode, options: { afterNavigation?: boolean } = {}): () => void {
  flash.set({ tone: 'success', message, isShown: !options.afterNavigation });
  return () => {
    if (flash.get()?.message === message) flash.set(undefined);
  };
}

/** Shows what an action answered as its success: a sentence, an element, or the message of a call; nothing else. */
export function flashAnswer(answer: unknown): void {
  const success = typeof answer === 'object' && answer !== null && 'message' in answer ? answer.message : answer;
  if (typeof success === 'string' || isValidElement(success)) flashSuccess(success);
}

export function flashProblem(message: ReactNode): void {
  flash.set({ tone: 'error', message, isShown: false });
}

export function dismissFlash(): void {
  flash.set(undefined);
}

export function advanceFlash(): void {
  const shown = flash.get();
  if (shown) flash.set(shown.isShown ? undefined : { ...shown, isShown: true });
}

export const useFlash: () => Pick<Flash, 'tone' | 'message'> | undefined = flash.useValue;
