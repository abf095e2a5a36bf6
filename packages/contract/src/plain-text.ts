/** Characters that print nothing or turn text around; the joiners U+200C and U+200D belong to words. */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/gu;

/** Whether a name reads as it is stored. */
export const isPlain = (text: string): boolean => text.search(hidden) === -1;

export const dropHidden = (text: string): string => text.replaceAll(hidden, '');
