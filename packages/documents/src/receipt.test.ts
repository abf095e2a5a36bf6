import { defaultSettings } from '@regie/contract/settings.ts';
import { expect, it } from 'vitest';
import { receiptDocument } from './receipt.ts';

const { iban: _iban, bic: _bic, ...house } = defaultSettings.house;
const receipt = {
  payoutId: 12,
  payoutAmount: 50,
  payoutFee: 0.6,
  payoutNet: 49.4,
  paidAt: Date.UTC(2026, 0, 6),
  userId: 3,
  userFname: 'Awa',
  userLname: 'Diallo',
  account: {
    ...{ id: 1, type: 'paypal' as const, email: 'awa@exemple.fr', owner: 'Awa Diallo', iban: null, swift: null },
    ...{
      holderAddress: '1 rue',
      holderAddress2: null,
      holderCity: 'Lyon',
      holderCountry: 'FR',
      holderPostcode: '69001',
    },
    ...{ bankName: null, bankCountry: null, bankAddress: null, bankAddress2: null, bankCity: null, bankZipCode: null },
  },
  house,
};

it('names the house with its SIREN and VAT number, when set', () => {
  const textWith = (codes: { siren: string; vatNumber: string }) =>
    JSON.stringify(receiptDocument({ ...receipt, house: { ...house, ...codes } }).document);
  const text = textWith({ siren: '732829320', vatNumber: 'FR44732829320' });
  for (const part of ['Reçu de versement', 'SIREN 732829320', 'TVA FR44732829320', '49,40'])
    expect(text).toContain(part);
  expect(textWith({ siren: '', vatNumber: '' })).not.toMatch(/SIREN|TVA F/);
});
