import { completeUrl } from './web-link.ts';

/** The platforms of a smartlink as the wire names them (product §29.6). */
export const smartlinkPlatforms = [
  'facebook',
  'instagram',
  'deezer',
  'spotify',
  'youtube',
  'youtube-music',
  'anghami',
  'apple-music',
] as const;
export type SmartlinkPlatform = (typeof smartlinkPlatforms)[number];

export const smartlinkPlatformNames: Record<SmartlinkPlatform, string> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  deezer: 'Deezer',
  spotify: 'Spotify',
  youtube: 'YouTube',
  'youtube-music': 'YouTube Music',
  anghami: 'Anghami',
  'apple-music': 'Apple Music',
};

const maxUrlLength = 2000;
/** Suffixes of host names that are never public. */
const privateEnds = new Set([
  ...['localhost', 'local', 'localdomain', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'arpa'],
  ...['onion', 'invalid'],
]);

/**
 * The stored address of a platform's page: http or https (added when no scheme was typed), a public host name, no
 * password, normalised to ASCII as browsers do. Undefined for anything else. It is never fetched.
 */
export function readPublicUrl(text: string): string | undefined {
  const trimmed = completeUrl(text);
  // Browsers drop tabs and line ends in a URL and read a backslash as a slash; such input is refused.
  if (trimmed.length > maxUrlLength || !/^https?:\/\/[^/\\]/i.test(trimmed) || /[\s\p{Cc}\\<>"]/u.test(trimmed)) {
    return undefined;
  }
  if (!URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '' || !isPublicName(url.hostname)) return undefined;
  return url.href.length > maxUrlLength ? undefined : url.href;
}

/** An IP address has no public name; the parser normalises every notation to four numbers or brackets. */
function isPublicName(hostname: string): boolean {
  const labels = hostname.replace(/\.$/, '').split('.');
  const last = labels.at(-1) ?? '';
  return (
    labels.length >= 2 &&
    /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/.test(last) &&
    !privateEnds.has(last) &&
    labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
  );
}

const maxSlugLength = 80;

/** `Été à Tokyo (feat. Awa)` becomes `ete-a-tokyo-feat-awa`; empty without a Latin letter or digit. */
export function toSmartlinkSlug(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae')
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd')
    .replace(/[’']/g, '-')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxSlugLength)
    .replace(/^-+|-+$/g, '');
}
