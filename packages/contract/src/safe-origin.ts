/** The stored origin as a path of this site (product §31.15); the home page for other hosts and sign-in pages. */
export function safeOrigin(origin: string | undefined): string {
  if (!origin?.startsWith('/')) return '/';
  // Browsers drop tabs and line ends and read a backslash as a slash, so the parsed URL is checked.
  const base = 'http://site.invalid';
  const url = URL.canParse(origin, base) ? new URL(origin, base) : undefined;
  if (url?.origin !== base || url.pathname.startsWith('//')) return '/';
  if (/^\/(signin|signup|reset-password|reset-password-action)\/?$/.test(url.pathname)) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
