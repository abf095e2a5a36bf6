export const frSystem = {
  again: 'Vérifier à nouveau',
  summary: (faults: number) =>
    faults === 0 ? 'Tout est en ordre' : faults === 1 ? '1 point à corriger' : `${faults} points à corriger`,
  checked: (version: string, when: string) => `Régie ${version}, vérifiée le ${when}`,
  checks: 'Vérifications',
  ok: 'En ordre',
  fault: 'À corriger',
  backups: {
    title: 'Dernières sauvegardes',
    none: 'Aucune sauvegarde n’a encore été faite. Chaque sauvegarde apparaîtra ici, réussie ou non.',
    encrypted: 'Chiffrée',
    plain: 'Non chiffrée',
    failed: 'Échouée',
  },
} as const;
