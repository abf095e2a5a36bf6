import { useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What a screen that leads away has to say on the next one. */
    notice?: string;
    /** The account that the next screen is about (specification 2 §2). */
    userId?: number;
  }
}

export function useHistoryState(): { notice: string | undefined; userId: number | undefined } {
  const state = useLocation({ select: (location) => location.state });
  return { notice: state.notice, userId: state.userId };
}
