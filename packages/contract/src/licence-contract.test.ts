import { describe, expect, it } from 'vitest';
import {
  type ContractValues,
  contractPlaceholders,
  defaultContractTemplate,
  fillTemplate,
  findTemplateFault,
} from './licence-contract.ts';

const values = Object.fromEntries(
  Object.keys(contractPlaceholders).map((name) => [name, `<${name}>`]),
) as ContractValues;
const ending = '\n{titres}\n\n{signatures}';

describe('a template', () => {
  it.each([
    ['an unknown field, by name', `Le {vendeur} cède${ending}`, 'Le champ {vendeur} n’existe pas'],
    ['a field in capitals', `{Maison}${ending}`, 'Le champ {Maison} n’existe pas'],
    ['an empty field', `{}${ending}`, 'Le champ {} n’existe pas'],
    ['an open brace', `Le {maison cède${ending}`, 'Une accolade n’est pas fermée\u00a0: «\u00a0Le {maison cède'],
    ['a brace too many', `Le {maison}} cède${ending}`, 'Une accolade n’est pas fermée'],
    ['a table within a sentence', `Voici {titres}.${ending}`, '{titres} doit être seul sur sa ligne'],
    ['two tables', `{titres}${ending}`, '{titres} figure deux fois'],
    ['no signatures', '{titres}', 'Le modèle doit contenir {signatures}'],
  ])('is refused for %s', (_name, template, sentence) => {
    expect(findTemplateFault(template)).toContain(sentence);
  });

  it('has a valid default that only names existing fields', () => {
    expect(findTemplateFault(defaultContractTemplate)).toBeUndefined();
    const text = JSON.stringify(fillTemplate(defaultContractTemplate, values));
    expect(text).not.toMatch(/[{]\w+[}]/);
  });

  it('is cut into title, headings, paragraphs, lists and blocks', () => {
    const template =
      '# Contrat\n\n## Entre\n{maison}\net {client}\n\n- un\n- {part}\nsuite\n\n  {titres}  \n{signatures}\n';
    expect(fillTemplate(template, { ...values, part: '80 %', client: 'A {maison} $& B' })).toEqual([
      { kind: 'title', text: 'Contrat' },
      { kind: 'heading', text: 'Entre' },
      // Placeholders and markup inside values are plain text.
      { kind: 'paragraph', text: '<maison>\net A {maison} $& B' },
      { kind: 'list', items: ['un', '80 %'] },
      { kind: 'paragraph', text: 'suite' },
      { kind: 'block', block: 'titres' },
      { kind: 'block', block: 'signatures' },
    ]);
  });
});
