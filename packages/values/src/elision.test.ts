import { expect, test } from 'vitest';
import { de } from './elision.ts';

test.each([
  ['Emmanuelle Lambert', 'd’Emmanuelle Lambert'],
  ['Élodie', 'd’Élodie'],
  ['Œuvres', 'd’Œuvres'],
  ['Hélène', 'd’Hélène'],
  ['Henri', 'd’Henri'],
  ['Yves', 'd’Yves'],
  ['Yann', 'de Yann'],
  ['Hassan', 'de Hassan'],
  ['Paul', 'de Paul'],
  ['8 heures', 'de 8 heures'],
  ['', 'de '],
])('the preposition before %j is elided as in speech', (name, phrase) => {
  expect(de(name)).toBe(phrase);
});
