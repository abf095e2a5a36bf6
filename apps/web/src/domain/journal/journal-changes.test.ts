import {
  AuditAction,
  type AuditEntity,
  auditActionNames,
  auditEntityNames,
  auditFieldNames,
  findAuditField,
} from '@regie/contract/audit.ts';
import type { JournalRecord } from '@regie/contract/routes/staff.ts';
import { expect, test } from 'vitest';
import { findChanges, showText, showValue } from './journal-changes.ts';
import { recordName } from './journal-labels.ts';

test('only differing values are changes, by path', () => {
  expect(
    findChanges({
      before: { fname: 'Ana', address: { city: 'Lyon', zip: '69001' }, tags: [1, 2] },
      after: { fname: 'Ana', address: { city: 'Paris', zip: '69001' }, tags: [1, 3] },
    }),
  ).toEqual([
    { field: 'address.city', before: 'Lyon', after: 'Paris' },
    { field: 'tags', before: [1, 2], after: [1, 3] },
  ]);
});

test('a creation shows the new values, a deletion the old ones', () => {
  expect(findChanges({ before: null, after: { rate: 1.1 } })).toEqual([
    { field: 'rate', before: undefined, after: 1.1 },
  ]);
  expect(findChanges({ before: { rate: 1.1 }, after: null })).toEqual([
    { field: 'rate', before: 1.1, after: undefined },
  ]);
  expect(findChanges({ before: null, after: null })).toEqual([]);
});

const record = (kind: AuditEntity, values: Partial<JournalRecord> = {}): JournalRecord => ({
  ...{ kind, id: '12', name: 'Serge Kanté', isGone: false, ownerId: 7, place: null },
  ...values,
});
const entryOf = (action: AuditAction, fields: Record<string, unknown> = {}, records: JournalRecord[] = []) => ({
  ...{ action, records, before: null, after: fields },
});

test.each<[AuditAction, string, unknown, string]>([
  ['admin.ask_factor_lift', 'dueAt', '2026-01-01T10:00:00.000Z', '01/01/2026 11:00'],
  ['report.create', 'month', 1_577_833_200_000, 'janv.\u00a02020'],
  ['report.create', 'month', '2026-01-01', 'janv.\u00a02026'],
  ['report.create', 'month', '2026-01', 'janv.\u00a02026'],
  ['release.edit', 'digitalReleaseDate', '2026-09-01', '01/09/2026'],
  ['import.batch', 'accountsEur', '-1234.567800', '\u22121\u00a0234,57\u00a0€'],
  ['import.batch', 'grossUsd', '0.0042000000', '0,0042\u00a0$US'],
  ['account.adjust', 'income', '-1234.567800', '\u22121\u00a0234,5678\u00a0€'],
  ['payout.pay', 'amount', '1234.56', '1\u00a0234,56\u00a0€'],
  ['payout.pay', 'fee', '0.60', '0,60\u00a0€'],
  ['order.pay', 'total', 9.9, '9,90\u00a0€'],
  ['account.adjust', 'income', '20.000000', '20,00\u00a0€'],
  ['exchange_rate.set', 'rate', '1.142200', '1,1422'],
  ['referral.add', 'percentile', 7.25, '7,25\u00a0%'],
  ['track.audio', 'sizeBytes', 1_200_044, '1,2\u00a0Mo'],
  ['report.create', 'type', 'youtube', 'Plateformes vidéo'],
  ['payout.pay', 'state', 'CANCEL', 'Annulé'],
  ['payout_batch.void', 'state', 'void', 'Abandonné'],
  ['account.edit', 'state', 'HOLD', 'Bloqué'],
  ['release.close', 'status', 'CLOSED', 'Traitée'],
  ['subscription.cancel', 'status', 'CANCEL', 'Annulée'],
  ['ticket.edit', 'status', 'CLOSED', 'Fermé'],
  ['auth.signin', 'factor', 'recovery', 'code de secours'],
  ['admin.add_factor', 'factor', 'recovery', 'recovery'],
  [
    'payout_batch.create',
    'problems',
    ['never_paid', 'large_amount'],
    'Jamais payé vers cette destination, Montant élevé',
  ],
  ['signatory.propose', 'isAdded', false, 'à retirer'],
  ['admin.propose_access', 'passwordChanged', true, 'remplacé'],
  ['settings.sign', 'setting', 'unsignedEur', 'versements sans signature, au total'],
  ['referral.add', 'unchecked', true, 'Oui'],
  ['job.fail', 'task', 'send_mail', 'envoi d’un e-mail'],
  ['import.batch', 'rows', 12345, '12\u00a0345'],
  ['import.batch', 'batch', 0, '1'],
  ['release.edit', 'yearOfRegistration', 2026, '2026'],
  ['admin.edit', 'capabilities', ['read_reports'], 'Voir les rapports'],
  ['release.delivery', 'platforms', ['apple-music', 'deezer'], 'Apple Music, Deezer'],
  ['release.delivery', 'territories', ['FR', 'BE'], 'France, Belgique'],
  ['release.delivery', 'territories', ['all'], 'monde entier'],
  ['billing.edit', 'iban', '••••3506', '••••3506'],
  [
    'statement.check',
    'confirmedRates',
    ['2024-04 USD 1.0824000000 (2024-01)'],
    'avr.\u00a02024, USD\u00a0: 1,0824 (taux du mois\u00a0: janv.\u00a02024)',
  ],
  [
    'statement.check',
    'declarations',
    ['2025-02 USD 100.751 / 101.25 (-0.499)'],
    'févr.\u00a02025\u00a0: lu 100,751\u00a0$US, déclaré 101,25\u00a0$US, écart \u22120,499\u00a0$US',
  ],
  ['release.delivery', 'hasExpressDelivery', true, 'Oui'],
  ['release.edit', 'label', '', 'vide'],
  ['release.edit', 'label', null, 'absent'],
  ['release.edit', 'tracks', [], 'vide'],
])('%s: %s = %j', (action, field, value, text) => {
  expect(showText(entryOf(action), field, value)).toBe(text);
});

test('an amount is in the currency given by its entry', () => {
  expect(showText(entryOf('order.card_refused', { currency: 'USD' }), 'amount', 9.9)).toBe('9,90\u00a0$US');
  const declared = entryOf('statement.edit', { declaredCurrency: 'GBP' });
  expect(showText(declared, 'declaredAmount', '9')).toBe('9,00\u00a0£GB');
});

test('a record’s number is shown as its name with a link, or as a number when the record is unknown', () => {
  const records = [record('account'), record('track', { id: '3', name: 'Marée haute', isGone: true })];
  const entry = entryOf('release.order_tracks', {}, records);
  expect(showValue(entry, 'userId', 12)).toEqual([{ text: 'Serge Kanté', link: { to: '/accounts/profiles/12' } }]);
  expect(showValue(entry, 'trackIds', [3, 4])).toEqual([{ text: 'Marée haute' }, { text: 'n°\u00a04' }]);
});

test('records are labelled by name, or by number for numbered kinds', () => {
  const named = (kind: AuditEntity, id: string, values?: Partial<JournalRecord>) =>
    recordName({ kind, id }, values && record(kind, values));
  expect(named('account', '12', {})).toBe('Serge Kanté');
  expect(named('order', '12', {})).toBe('n°\u00a012, Serge Kanté');
  expect(named('payout', '12', {})).toBe('V-000012, Serge Kanté');
  expect(named('import', '12', { name: null })).toBe('n°\u00a012');
  expect(named('month', '2026-01')).toBe('janv.\u00a02026');
  expect(named('exchange_rate', '2026-01 USD')).toBe('USD, janv.\u00a02026');
  expect(named('release', '12')).toBe('n°\u00a012');
});

test('coded values are shown as French labels', () => {
  const fields = [...auditFieldNames].flatMap((name) =>
    AuditAction.options.flatMap((action) => findAuditField(action, name)?.[1] ?? []),
  );
  const words: string[] = [...Object.values(auditActionNames), ...Object.values(auditEntityNames), ...fields];
  expect(words.filter((word) => word === '' || /[a-z]_[a-z]|[a-z][A-Z]|\.\w/.test(word))).toEqual([]);
});
