import { accountName, type Entity, type Tables, toOwner } from '#src/entity.ts';

export const referral = {
  label: 'Parrainage',
  link: toOwner('/accounts', '/referrals'),
  isOfAccount: true,
  actions: { 'referral.add': 'Parrainage ajouté', 'referral.delete': 'Parrainage supprimé' },
  fields: {
    referrerId: ['#account', 'parrain'],
    referredId: ['#account', 'filleul'],
    percentile: ['percent', 'pourcentage'],
  },
} as const satisfies Entity;

export const referralTables: Tables = {
  referrals: {
    record: {
      join: 'JOIN accounts a ON a.id = t.referrer_id',
      name: `${accountName('a')} || ' → ' || (SELECT ${accountName('f')} FROM accounts f WHERE f.id = t.referred_id)`,
      owner: 't.referrer_id',
      search: { accounts: ['t.referrer_id', 't.referred_id'] },
    },
    says: 'Parrainages',
    of: { account: '(t.referrer_id = $id OR t.referred_id = $id)' },
    columns: 'id referrer_id referred_id percentile created_version deleted_version created_at deleted_at',
  },
};
