import { de } from '@regie/values/elision.ts';

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [`${count}\u00a0${count > 1 ? many : one}`];
const sentence = (parts: readonly string[]) => (parts.length === 0 ? '' : `${parts.join(', ')}.`);

export const frPrivacy = {
  export: 'Exporter les données personnelles',
  exportWork: (name: string) => `Données personnelles ${de(name)}`,
  exported: 'Le fichier ZIP est téléchargé',
  erase: 'Supprimer les données personnelles',
  verb: 'Supprimer définitivement',
  reason: 'Motif',
  reasonHint: 'Inscrit au journal\u00a0: n’y écrivez pas de nom. Par exemple «\u00a0demande du 12 novembre\u00a0».',
  obstacles: 'À régler d’abord\u00a0:',
  account: {
    consequence:
      'Nom, adresse, e-mail, note et coordonnées de paiement sont supprimés, et ne pourront pas être retrouvés.',
    removed: (preview: { releases: number; tracks: number; billings: number; journalEntries: number }) =>
      sentence([
        ...counted(preview.releases, 'sortie mise à la corbeille', 'sorties mises à la corbeille'),
        ...counted(preview.tracks, 'titre', 'titres'),
        ...counted(preview.billings, 'moyen de paiement supprimé', 'moyens de paiement supprimés'),
        ...counted(preview.journalEntries, 'entrée du journal concernée', 'entrées du journal concernées'),
      ]),
    kept: (preview: { invoices: number; payouts: number; contracts: number }) =>
      `Conservés jusqu’au terme légal\u00a0: ${sentence([
        ...counted(preview.invoices, 'facture', 'factures'),
        ...counted(preview.payouts, 'versement', 'versements'),
        ...counted(preview.contracts, 'contrat', 'contrats'),
        'le grand livre',
      ])}`,
    erased: (when: string) =>
      `Les données personnelles de ce compte ont été supprimées le ${when}. Le grand livre et les factures restent.`,
    more: 'Autres actions du compte',
  },
  admin: {
    consequence:
      'Nom, e-mail, seconds facteurs et sessions sont supprimés. Le journal garde ses actions, sans son nom ni son adresse de réseau.',
    leftTitle: 'Administrateurs partis',
    leftText: 'Leur nom reste au journal jusqu’au terme fixé dans les réglages. Vous pouvez le supprimer plus tôt.',
    exportShort: 'Exporter',
    eraseShort: 'Supprimer les données',
    left: (date: string) => `Parti le ${date}`,
  },
} as const;
