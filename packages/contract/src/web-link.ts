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

/** A field that holds a link; every such field of the contract refuses schemes that would run something. */
export const WebLink = (max: number) =>
  z
    .string()
    .trim()
    .max(max, { error: messages.maxLength(max) })
    .refine(isWebLink, { error: messages.webLink });
