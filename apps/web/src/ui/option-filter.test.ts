import { expect, test } from 'vitest';
import { optionFilter } from './option-filter.ts';

const option = (label: string) => ({ value: label, label, disabled: false });
const countries = [
  { group: 'Afrique', items: ['Côte d’Ivoire', 'République du Congo'].map(option) },
  { group: 'Europe', items: ['Norvège'].map(option) },
  option('Île Maurice'),
];
const find = (search: string) => optionFilter({ options: countries, search, limit: 100 });

test('of plain options, those that begin with the text come first', () => {
  const options = ['Arabic', 'Arabic Pop', 'Pop'].map(option);
  const labels = (search: string) =>
    optionFilter({ options, search, limit: 100 }).map((found) => 'label' in found && found.label);
  expect(labels('pop')).toEqual(['Pop', 'Arabic Pop']);
  expect(labels('ar')).toEqual(['Arabic', 'Arabic Pop']);
});

test('an option is found by its words in any order, ignoring accents', () => {
  expect(find('congo rep')).toEqual([{ group: 'Afrique', items: [option('République du Congo')] }]);
  expect(find('ile')).toEqual([option('Île Maurice')]);
  expect(find('norvege')).toEqual([{ group: 'Europe', items: [option('Norvège')] }]);
  expect(find('')).toEqual(countries);
  expect(find('congo norvege')).toEqual([]);
});
