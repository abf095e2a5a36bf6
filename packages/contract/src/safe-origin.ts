/**
 * The remembered origin as a path of this site (product §31.15): anything that a browser could read as another
 * host, or as the sign-in pages themselves, is home.
 */
export function safeOrigin(origin: string | undefined): string {
  if (!origin?.startsWith('/')) return '/';
  // A browser drops tabs and line ends and reads a backslash as a slash, so the parsed form decides.
  const base = 'http://site.invalid';
  const url = URL.canParse(origin, base) ? new URL(origin, base) : undefined;
  if (url?.origin !== base || url.pathname.startsWith('//')) return '/';
  if (/^\/(signin|signup|reset-password|reset-password-action)\/?$/.test(url.pathname)) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
