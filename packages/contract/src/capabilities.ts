import { keysOf, z } from './zod.ts';

/** The sidebar's sections, in order; capabilities are granted under the same headings. */
export const capabilitySections = {
  accounts: 'Comptes',
  production: 'Production',
  payouts: 'Versements',
  reports: 'Rapports',
  services: 'Services',
  accounting: 'Comptabilité',
  tools: 'Outils',
  administration: 'Administration',
} as const;
export const CapabilitySectionName = z.enum(keysOf(capabilitySections));
export type CapabilitySection = keyof typeof capabilitySections;

/** product §16, product §26, product §35.1: in the order of the checkboxes; a number on the wire is never used again. */
const table = [
  [1, 'manage_profiles', 'accounts', 'Gérer les comptes, coordonnées et factures'],
  [2, 'read_admins', 'accounts', 'Voir les administrateurs'],
  [3, 'edit_admins', 'accounts', 'Ajouter et modifier les administrateurs'],
  [4, 'delete_admins', 'accounts', 'Supprimer les administrateurs'],
  [5, 'read_none_paid_libraries', 'production', 'Voir les sorties en attente'],
  [6, 'edit_none_paid_libraries', 'production', 'Modifier les sorties en attente'],
  [7, 'read_paid_libraries', 'production', 'Voir les sorties payées'],
  [8, 'edit_paid_libraries', 'production', 'Modifier les sorties payées'],
  [9, 'read_delivered_libraries', 'production', 'Voir les sorties livrées'],
  [10, 'edit_delivered_libraries', 'production', 'Modifier les sorties livrées'],
  [11, 'read_none_published_libraries', 'production', 'Voir les sorties non publiées'],
  [12, 'edit_none_published_libraries', 'production', 'Modifier les sorties non publiées'],
  [13, 'read_pending_payout', 'payouts', 'Voir les versements en attente'],
  [14, 'edit_pending_payout', 'payouts', 'Demander, payer et annuler des versements, gérer les lots'],
  [15, 'read_paid_payout', 'payouts', 'Voir les versements payés'],
  [16, 'edit_paid_payout', 'payouts', 'Modifier, annuler et supprimer les versements payés'],
  [17, 'read_unpaid_accounts', 'payouts', 'Voir les comptes à payer'],
  [18, 'read_reports', 'reports', 'Voir les rapports'],
  [19, 'edit_reports', 'reports', 'Créer, importer et supprimer des rapports, gérer les relevés'],
  [20, 'read_coupon', 'services', 'Voir les codes promo'],
  [21, 'edit_coupon', 'services', 'Créer et supprimer des codes promo'],
  [22, 'read_smartlink', 'services', 'Voir les smartlinks'],
  [23, 'edit_smartlink', 'services', 'Créer, modifier et supprimer des smartlinks'],
  [24, 'read_subscriptions', 'services', 'Voir, commander et annuler les abonnements'],
  [25, 'read_platforms_stats', 'accounting', 'Voir la comptabilité des plateformes'],
  [26, 'read_youtube_stats', 'accounting', 'Voir la comptabilité des plateformes vidéo'],
  [27, 'read_tools', 'tools', 'Consulter les outils et les tickets'],
  [28, 'edit_tools', 'tools', 'Utiliser les outils, traiter les tickets, créer des contrats'],
  [29, 'manage_settings', 'administration', 'Modifier les réglages et les taux de change'],
  [30, 'read_audit', 'administration', 'Consulter le journal'],
  [31, 'read_statements_out', 'accounts', 'Voir les relevés clients'],
  [32, 'send_statements', 'accounts', 'Publier les relevés clients'],
] as const satisfies readonly (readonly [number, string, CapabilitySection, string])[];

export type Capability = (typeof table)[number][1];
export const capabilityNames = table.map(([, name]) => name);
export const Capability = z.enum(capabilityNames);

/** The capabilities that each capability includes: `edit_…` includes reading (product §39.13). */
export function impliedBy(name: Capability): Capability | undefined {
  if (name === 'send_statements') return 'read_statements_out';
  if (!name.startsWith('edit_')) return undefined;
  const reading = Capability.safeParse(name.replace('edit_', 'read_'));
  return reading.success ? reading.data : undefined;
}

export function withImplied(granted: Iterable<Capability>): Capability[] {
  const all = new Set(granted);
  for (const name of all) {
    const implied = impliedBy(name);
    if (implied) all.add(implied);
  }
  return capabilityNames.filter((name) => all.has(name));
}

export const capabilities = table.map(([id, name, section, label]) => ({ id: id as number, name, section, label }));
export type CapabilityRow = (typeof capabilities)[number];

export const findCapabilityById = (id: number): CapabilityRow | undefined => capabilities.find((row) => row.id === id);

export function getCapability(name: Capability): CapabilityRow {
  const row = capabilities.find((one) => one.name === name);
  if (!row) throw new Error(`unknown capability ${name}`);
  return row;
}
