import { describe, expect, it } from 'vitest';
import { fillLetter, findLetterFault, letterKinds, letterNames } from './letters.ts';

describe('letters', () => {
  it.each(letterNames)('%s: the default text is valid', (name) => {
    const { subject, text } = letterKinds[name].default;
    expect(findLetterFault(name, 'subject', subject)).toBeUndefined();
    expect(findLetterFault(name, 'text', text)).toBeUndefined();
  });

  it.each([
    ['Bonjour {compte}', 'Le champ {compte} n’existe pas'],
    ['Bonjour {toString} {lien}', 'Le champ {toString} n’existe pas'],
    ['Bonjour {lien', 'Une accolade n’est pas fermée'],
    ['Bonjour lien}', 'Une accolade n’est pas fermée'],
    ['Bonjour', 'Le texte doit contenir {lien}'],
  ])('refuse the text %s', (text, fault) => {
    expect(findLetterFault('passwordResetLetter', 'text', text)).toContain(fault);
  });

  it('a subject needs no field', () => {
    expect(findLetterFault('passwordResetLetter', 'subject', 'Bonjour')).toBeUndefined();
  });

  it('are filled once, with each value on one line and without links', () => {
    const letter = { subject: 'De {maison}', text: '{compte} {changement}, {compte}\n\n' };
    const values = {
      maison: 'Marée\r\nBcc: x@exemple.fr',
      compte: '{changement}',
      changement: '$& est maintenant a@b.fr',
    };
    expect(fillLetter<'emailChangedLetter'>(letter, values)).toEqual({
      subject: 'De Marée Bcc: x@exemple. fr',
      text: '{changement} $& est maintenant a@b.fr, {changement}\n',
    });
  });
});
