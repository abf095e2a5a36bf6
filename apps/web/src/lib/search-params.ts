export type SearchParams = Record<string, string | undefined>;

/** For the router, whose default parser reads values as JSON. The last of several equal names is used. */
export const parseSearch = (search: string): SearchParams => Object.fromEntries(new URLSearchParams(search));

/** The inverse; empty values are omitted. Slashes, colons and commas are not encoded. */
export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') params.set(key, String(value));
  }
  const text = params.toString().replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text ? `?${text}` : '';
}
