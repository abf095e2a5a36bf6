/** The URL's query as the screens use it: plain text values, so that addresses stay readable and typable. */
export type SearchParams = Record<string, string | undefined>;

/** For the router, whose own parser reads JSON into the values. The last of several equal names counts. */
export function parseSearch(search: string): SearchParams {
  return Object.fromEntries(new URLSearchParams(search));
}

/** The other way; empty values are left out. Slashes, colons and commas stay as they are. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') params.set(key, String(value));
  }
  const text = params.toString().replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text ? `?${text}` : '';
}
