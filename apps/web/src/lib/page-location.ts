import { type ParsedLocation, useLocation, useMatch } from '@tanstack/react-router';
import { useState } from 'react';

/**
 * The location of the page that calls it. While another page opens, this one is still shown, and the router's location
 * is already the other's.
 */
export function usePageLocation(): ParsedLocation {
  const location = useLocation();
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  const [own, setOwn] = useState(location);
  const isOwn = location.pathname === pathname;
  if (isOwn && location !== own) setOwn(location);
  return isOwn ? location : own;
}
