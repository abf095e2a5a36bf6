import { fold } from './search-text.ts';

/** Before an aspirated h, as in "Hassan" or "Harry", nothing is elided: only these names start with a mute one. */
const muteH = /^h(adrien|e(ctor|l[eo]|rm|rv)|enri|i(laire|pp)|o(nor|rten)|u(bert|go|gu)|y)/;
const vowel = /^([aeiouœæ]|y[^aeiou])/;

/** `de Paul`, `d’Emmanuelle`, `d’Hélène`: the preposition and the name that follows it. */
export function de(name: string): string {
  const folded = fold(name);
  return vowel.test(folded) || muteH.test(folded) ? `d’${name}` : `de ${name}`;
}
