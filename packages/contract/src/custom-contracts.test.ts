import { describe, expect, it } from 'vitest';
import {
  type AskedContractField,
  askedFieldsOf,
  type ContractTemplate,
  contractTemplates,
  findCustomTemplateFault,
  findFieldFault,
  printField,
} from './custom-contracts.ts';

describe('a text', () => {
  it.each<[ContractTemplate, AskedContractField[]]>([
    [
      'distribution',
      ['objet', 'date_effet', 'duree', 'preavis', 'territoires', 'part', 'part_video', 'lieu', 'details'],
    ],
    ['avance', ['objet', 'date_effet', 'duree', 'part', 'part_video', 'montant', 'lieu', 'details']],
    ['avenant', ['objet', 'date_effet', 'part', 'part_video', 'lieu', 'details']],
    ['resiliation', ['objet', 'date_effet', 'preavis', 'montant', 'lieu', 'details']],
    ['libre', ['objet', 'lieu', 'details']],
  ])('%s is valid, and its form has the fields it names', (name, fields) => {
    const { template } = contractTemplates[name];
    expect(findCustomTemplateFault(template)).toBeUndefined();
    expect(askedFieldsOf(template)).toEqual(fields);
    expect(template).toContain('{client}');
    expect(template).toContain('\n{signatures}\n');
  });

  it.each([
    ['Le {vendeur} cède', 'Le champ {vendeur} n’existe pas'],
    ['{titres}', 'Le champ {titres} n’existe pas'],
    ['Le {client cède', 'Une accolade n’est pas fermée'],
    ['Signé\u00a0: {signatures}', '{signatures} doit être seul sur sa ligne'],
    ['{signatures}\n\n{signatures}', '{signatures} figure deux fois'],
  ])('%j is refused', (template, sentence) => {
    expect(findCustomTemplateFault(template)).toContain(sentence);
  });
});

describe('a field', () => {
  it.each([
    ['date_effet', '29/02/2028', undefined],
    ['date_effet', '29/02/2027', 'date'],
    ['date_effet', '2027-01-01', 'date'],
    ['part', '80', undefined],
    ['part', '62,5', undefined],
    ['part', '100.01', 'pourcentage'],
    ['part_video', 'tout', 'pourcentage'],
    ['montant', '1234,5', undefined],
    ['montant', '-1', 'montant'],
    ['montant', '1,234', 'montant'],
    ['montant', '', undefined],
    ['objet', 'Tout le catalogue', undefined],
  ] as const)('%s %j: %s', (name, text, fault) => {
    if (fault === undefined) expect(findFieldFault(name, text)).toBeUndefined();
    else expect(findFieldFault(name, text)).toContain(fault);
  });

  it('is printed in French format', () => {
    expect(printField('part', '62.5')).toBe('62,5\u00a0%');
    expect(printField('montant', '1234567,5')).toBe('1\u00a0234\u00a0567,50\u00a0€');
    expect(printField('montant', '0')).toBe('0,00\u00a0€');
    expect(printField('montant', '')).toBe('');
    expect(printField('duree', 'trois ans')).toBe('trois ans');
  });
});
