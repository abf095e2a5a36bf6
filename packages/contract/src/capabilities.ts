import { z } from './zod.ts';

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
export const CapabilitySectionName = z.enum([
  'accounts',
  'production',
  'payouts',
  'reports',
  'services',
  'accounting',
  'tools',
  'administration',
]);
export type CapabilitySection = keyof typeof capabilitySections;

/**
 * Every capability of product §16 and §26, plus the two of product §35.1, with the label shown to
 * staff. The order is the order of the checkboxes; the position in it is the stable id on the wire.
 */
const table = [
  ['manage_profiles', 'accounts', 'Gérer les comptes, coordonnées et factures'],
  ['read_admins', 'accounts', 'Voir les administrateurs'],
  ['edit_admins', 'accounts', 'Ajouter et modifier les administrateurs'],
  ['delete_admins', 'accounts', 'Supprimer les administrateurs'],
  ['read_none_paid_libraries', 'production', 'Voir les sorties en attente'],
  ['edit_none_paid_libraries', 'production', 'Modifier les sorties en attente'],
  ['read_paid_libraries', 'production', 'Voir les sorties payées'],
  ['edit_paid_libraries', 'production', 'Modifier les sorties payées'],
  ['read_delivered_libraries', 'production', 'Voir les sorties livrées'],
  ['edit_delivered_libraries', 'production', 'Modifier les sorties livrées'],
  ['read_none_published_libraries', 'production', 'Voir les sorties non publiées'],
  ['edit_none_published_libraries', 'production', 'Modifier les sorties non publiées'],
  ['read_pending_payout', 'payouts', 'Voir les versements en attente'],
  ['edit_pending_payout', 'payouts', 'Demander, payer et annuler des versements, gérer les lots'],
  ['read_paid_payout', 'payouts', 'Voir les versements payés'],
  ['edit_paid_payout', 'payouts', 'Modifier, annuler et supprimer les versements payés'],
  ['read_unpaid_accounts', 'payouts', 'Voir les comptes à payer'],
  ['read_reports', 'reports', 'Voir les rapports'],
  ['edit_reports', 'reports', 'Créer, importer et supprimer des rapports, gérer les relevés'],
  ['read_coupon', 'services', 'Voir les codes promo'],
  ['edit_coupon', 'services', 'Créer et supprimer des codes promo'],
  ['read_smartlink', 'services', 'Voir les smartlinks'],
  ['edit_smartlink', 'services', 'Créer, modifier et supprimer des smartlinks'],
  ['read_subscriptions', 'services', 'Voir, commander et annuler les abonnements'],
  ['read_platforms_stats', 'accounting', 'Voir la comptabilité des plateformes'],
  ['read_youtube_stats', 'accounting', 'Voir la comptabilité des plateformes vidéo'],
  ['read_tools', 'tools', 'Consulter les outils et les tickets'],
  ['edit_tools', 'tools', 'Utiliser les outils, traiter les tickets, créer des contrats'],
  ['manage_settings', 'administration', 'Modifier les réglages et les taux de change'],
  ['read_audit', 'administration', 'Consulter le journal'],
] as const satisfies readonly (readonly [string, CapabilitySection, string])[];

export type Capability = (typeof table)[number][0];
export const capabilityNames: readonly [Capability, ...Capability[]] = [
  table[0][0],
  ...table.slice(1).map(([name]) => name),
];
export const Capability = z.enum(capabilityNames);

/** The capabilities that each capability includes: `edit_…` includes reading (product §39.13). */
export function impliedBy(name: Capability): Capability | undefined {
  if (!name.startsWith('edit_')) return undefined;
  const reading = Capability.safeParse(name.replace('edit_', 'read_'));
  return reading.success ? reading.data : undefined;
}

/** The granted capabilities and those they include, in the contract's order. */
export function withImplied(granted: Iterable<Capability>): Capability[] {
  const all = new Set(granted);
  for (const name of all) {
    const implied = impliedBy(name);
    if (implied) all.add(implied);
  }
  return capabilityNames.filter((name) => all.has(name));
}

export interface CapabilityRow {
  id: number;
  name: Capability;
  section: CapabilitySection;
  label: string;
}
export const capabilities: readonly CapabilityRow[] = table.map(([name, section, label], index) => ({
  id: index + 1,
  name,
  section,
  label,
}));
const byId = new Map(capabilities.map((row) => [row.id, row]));
const byName = new Map(capabilities.map((row) => [row.name, row]));

/** The capability with that wire id; undefined when there is none. */
export function findCapabilityById(id: number): CapabilityRow | undefined {
  return byId.get(id);
}

/** The row of a capability: wire id, section and French label. */
export function getCapability(name: Capability): CapabilityRow {
  const row = byName.get(name);
  if (!row) throw new Error(`unknown capability ${name}`);
  return row;
}
