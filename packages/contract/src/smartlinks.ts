import { completeUrl } from './web-link.ts';
import { keysOf } from './zod.ts';

/** The platforms of a smartlink as the wire names them (product §29.6). */
export const smartlinkPlatformNames = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  deezer: 'Deezer',
  spotify: 'Spotify',
  youtube: 'YouTube',
  'youtube-music': 'YouTube Music',
  anghami: 'Anghami',
  'apple-music': 'Apple Music',
} as const;
export type SmartlinkPlatform = keyof typeof smartlinkPlatformNames;
export const smartlinkPlatforms = keysOf(smartlinkPlatformNames);

/** The hosts of each platform's pages and short links; their subdomains (`m.`, `open.`, `geo.music.`) belong to them. */
export const platformHosts: Record<SmartlinkPlatform, readonly string[]> = {
  facebook: ['facebook.com', 'fb.com', 'fb.me', 'fb.watch'],
  instagram: ['instagram.com', 'instagr.am', 'ig.me'],
  deezer: ['deezer.com', 'deezer.page.link', 'dzr.page.link'],
  spotify: ['spotify.com', 'spotify.link', 'spotify.app.link', 'spoti.fi'],
  youtube: ['youtube.com', 'youtu.be'],
  'youtube-music': ['youtube.com', 'youtu.be'],
  anghami: ['anghami.com', 'angha.me'],
  'apple-music': ['apple.com', 'apple.co', 'itun.es'],
};

const maxUrlLength = 2000;

/**
 * A page of the platform's own hosts, normalised to ASCII as browsers do, `https://` added; undefined for anything
 * else. It is never fetched.
 */
export function readPlatformUrl(platform: SmartlinkPlatform, text: string): string | undefined {
  const trimmed = completeUrl(text);
  // Browsers drop tabs and line ends in a URL and read a backslash as a slash; such input is refused.
  if (trimmed.length > maxUrlLength || !/^https?:\/\/[^/\\]/i.test(trimmed) || /[\s\p{Cc}\\<>"]/u.test(trimmed)) {
    return undefined;
  }
  if (!URL.canParse(trimmed)) return undefined;
  const url = new URL(trimmed);
  const name = `.${url.hostname.replace(/\.$/, '')}`;
  const isOwn = platformHosts[platform].some((host) => name.endsWith(`.${host}`));
  if (url.username !== '' || url.password !== '' || !isOwn) return undefined;
  return url.href.length > maxUrlLength ? undefined : url.href;
}

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
    .slice(0, 80)
    .replace(/^-+|-+$/g, '');
}
