import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Loads the code of the page at this address when the browser is idle, so that hovers and clicks load data only. */
export function usePageCode(to: string | undefined): void {
  const router = useRouter();
  useEffect(() => {
    // Safari has no idle callback: there a hover loads the code too.
    if (to === undefined || !('requestIdleCallback' in window)) return undefined;
    const idle = requestIdleCallback(() => {
      for (const route of router.getMatchedRoutes(to)[0]) router.loadRouteChunk(route)?.catch(() => undefined);
    });
    return () => cancelIdleCallback(idle);
  }, [router, to]);
}
