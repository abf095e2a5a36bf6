import type { AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import { formatBalance, formatMoney } from '@regie/values/formats.ts';
import { expect, it } from 'vitest';
import { groupBatches, statementDocument } from './account-statement.ts';
import { frDocuments } from './documents.fr.ts';
import { movementDetail, movementLabel } from './movement-labels.ts';

const line = (values: Partial<AccountStatementLine>): AccountStatementLine => ({
  id: 1,
  occurredAt: Date.UTC(2026, 0, 20),
  kind: 'import',
  isReversal: false,
  amountEur: 1,
  balanceEur: 1,
  import: { id: 7, type: 'platform', month: Date.UTC(2025, 10, 30, 23), fileName: 'ventes.csv', batch: 0 },
  referred: null,
  payoutId: null,
  memo: '',
  admin: null,
  ...values,
});
const lines = [
  line({ amountEur: 0.1, balanceEur: 0.1 }),
  line({ amountEur: 0.2, balanceEur: 0.3 }),
  line({ amountEur: -0.3, balanceEur: 0, isReversal: true }),
  line({ kind: 'payout', import: null, payoutId: 12, amountEur: -50, balanceEur: -50 }),
  line({ kind: 'adjustment', import: null, memo: 'Geste commercial', amountEur: 60, balanceEur: 10 }),
];

it('labels a movement by its kind', () => {
  expect(lines.map(movementLabel)).toEqual([
    'Revenus plateformes, déc.\u00a02025',
    'Revenus plateformes, déc.\u00a02025',
    'Contre-passation\u00a0: Revenus plateformes, déc.\u00a02025',
    'Versement V-000012',
    'Régularisation',
  ]);
});

it('shows the details of a payout that its label omits', () => {
  const detailOf = (memo: string) => movementDetail(line({ kind: 'payout', import: null, payoutId: 12, memo }));
  expect(detailOf('Versement 12 demandé')).toBe('Demandé');
  expect(detailOf('Versement 12\u00a0: paiement rejeté')).toBe('Paiement rejeté');
});

it('adds up the batches of an import, exactly', () => {
  expect(groupBatches(lines).map(({ parts, amountEur, balanceEur }) => [parts, amountEur, balanceEur])).toEqual([
    [2, 0.3, 0.3],
    [1, -0.3, 0],
    [1, -50, -50],
    [1, 60, 10],
  ]);
});

const codes = { siren: '732829320', vatNumber: 'FR44732829320', electronicAddress: '', vatRegime: '' } as const;
const parties = {
  house: { name: 'Maison', address: '1, rue Haute', postcode: '75001', city: 'Paris', country: 'France', ...codes },
  account: { id: 3, name: 'Awa Diallo', lines: ['Studio'] },
};

it('prints a movement with the amount of other pages, and explains a balance with other cents', () => {
  const one = line({ amountEur: 297.236, balanceEur: 297.236 });
  const text = JSON.stringify(statementDocument({ openingEur: 0, closingEur: 297.236, lines: [one] }, parties, '', 0));
  expect([text.split(formatMoney(297.236, 'EUR')).length, text.split(formatBalance(297.236)).length]).toEqual([2, 3]);
  expect(text).toContain(frDocuments.statement.rounded);
});

it('prints opening, movements and closing, a balance rounded down to the cent', () => {
  const document = statementDocument(
    { openingEur: 0, closingEur: 10.0058, lines },
    parties,
    'depuis l’ouverture du compte',
    Date.UTC(2026, 1, 1),
  );
  const text = JSON.stringify(document);
  for (const part of [
    'Solde d’ouverture',
    'Geste commercial',
    '2 envois',
    '−50,00',
    'Solde de clôture',
    'SIREN 732829320',
    'TVA FR44732829320',
    '1er février 2026',
  ]) {
    expect(text, part).toContain(part);
  }
  expect(text).not.toContain('10,01');
});
