import { type ParsedLocation, useLocation, useMatch, useMatches, useRouter } from '@tanstack/react-router';
import { useState } from 'react';

/** The page's own location: while another page opens, the router's location is already the other's. */
export function usePageLocation(): ParsedLocation {
  const router = useRouter();
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  const [own, setOwn] = useState(router.state.location);
  const shown = useLocation({ select: (location) => (location.pathname === pathname ? location : own) });
  if (shown !== own) setOwn(shown);
  return shown;
}

/** The shown page's path: until the next page can be shown, the frame around it stays as it is. */
export const useShownPath = (): string => useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '' });
