import { blank, clear, type Entity, type Tables } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';
import { common } from './common.ts';

export const billingAccount = {
  label: 'Coordonnées de paiement',
  link: ({ id, place }) => ({ to: `/accounts/${place === 'paypal' ? 'paypal' : 'bank'}-account/${id}` }),
  isOfAccount: true,
  actions: {
    'billing.create': 'Coordonnées ajoutées',
    'billing.edit': 'Coordonnées modifiées',
    'billing.reveal': 'Numéro de compte affiché',
    'billing.confirm': 'Coordonnées confirmées',
    'billing.sign': 'Coordonnées signées',
  },
  fields: { type: [names.billingTypes, 'type'] },
  personal: {
    owner: ['text', 'titulaire'],
    email: common.email,
    holderAddress: ['text', 'adresse du titulaire'],
    holderAddress2: ['text', 'complément d’adresse du titulaire'],
    holderCity: ['text', 'ville du titulaire'],
    holderCountry: ['text', 'pays du titulaire'],
    holderPostcode: ['code', 'code postal du titulaire'],
    bankName: ['text', 'banque'],
    bankCountry: ['text', 'pays de la banque'],
    bankAddress: ['text', 'adresse de la banque'],
    bankAddress2: ['text', 'complément d’adresse de la banque'],
    bankCity: ['text', 'ville de la banque'],
    bankZipCode: ['code', 'code postal de la banque'],
    iban: ['code', fieldNames.iban],
    swift: ['code', 'BIC'],
    changedBy: ['text', 'modifiées par'],
  },
} as const satisfies Entity;

export const billingAccountTables: Tables = {
  billing_accounts: {
    record: {
      name: `concat_ws(', ', t.owner, coalesce(t.bank_name, t.email))`,
      isGone: 't.deleted_at IS NOT NULL',
      place: 't.type',
      search: `fold(concat_ws(' ', t.owner, t.bank_name, t.email))`,
    },
    says: 'Coordonnées bancaires et PayPal',
    columns: 'id account_id type created_at changed_at deleted_at changed_by',
    account: {
      email: { put: `CASE WHEN t.type = 'paypal' THEN '' END` },
      owner: { put: `'supprimé'` },
      'holder_address holder_city holder_country holder_postcode': blank,
      'holder_address2 bank_country bank_address bank_address2 bank_city bank_zip_code swift': clear,
      'bank_name iban': { put: `CASE WHEN t.type = 'bank' THEN '' END` },
    },
  },
};
