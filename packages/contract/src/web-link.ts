import { messages } from './messages.ts';
import { z } from './zod.ts';

/** Whether a text is a link: http, https or no scheme. Browsers drop controls and blanks within a scheme. */
export function isWebLink(text: string): boolean {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\s]/gu, '');
  return /^https?:\/\//i.test(plain) || !/^[^/?#]*:/.test(plain);
}

/** `www.maison.fr/a` becomes `https://www.maison.fr/a`; a text with a scheme or without a host name is unchanged. */
export function completeUrl(text: string): string {
  const trimmed = text.trim();
  return /^[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+\.?(?::\d+)?(?:[/?#]|$)/u.test(trimmed)
    ? `https://${trimmed}`
    : trimmed;
}

/** A link field; all link fields of the contract refuse schemes that execute code. */
export const WebLink = (max: number) =>
  z.string().overwrite(completeUrl).max(max).refine(isWebLink, { error: messages.webLink });
