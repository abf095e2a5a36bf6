import { type ParsedLocation, useLocation, useMatch, useRouter } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * The location of the page that calls it. While another page opens, this one is still shown, and the router's location
 * is already the other's: the page keeps its own, and is not rendered again.
 */
export function usePageLocation(): ParsedLocation {
  const router = useRouter();
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  const [own, setOwn] = useState(router.state.location);
  const shown = useLocation({ select: (location) => (location.pathname === pathname ? location : own) });
  if (shown !== own) setOwn(shown);
  return shown;
}
