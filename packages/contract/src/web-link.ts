import { messages } from './messages.ts';
import { z } from './zod.ts';

/**
 * Whether a text may be followed as a link: http or https, or no scheme at all (`www.maison.fr`). Browsers drop control
 * characters and blanks within a scheme, so they are dropped before it is looked for.
 */
export function isWebLink(text: string): boolean {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\s]/gu, '');
  return /^https?:\/\//i.test(plain) || !/^[^/?#]*:/.test(plain);
}

/** `www.maison.fr/a` as `https://www.maison.fr/a`; what has a scheme, or begins with no name of a host, stays as it is. */
export function completeUrl(text: string): string {
  const trimmed = text.trim();
  return /^[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+\.?(?::\d+)?(?:[/?#]|$)/u.test(trimmed)
    ? `https://${trimmed}`
    : trimmed;
}

/** A field that holds a link; every such field of the contract refuses schemes that would run something. */
export const WebLink = (max: number) =>
  z
    .string()
    .overwrite(completeUrl)
    .max(max, { error: messages.maxLength(max) })
    .refine(isWebLink, { error: messages.webLink });
