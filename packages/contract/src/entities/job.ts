import type { Entity } from '#src/entity.ts';

/** Jobs that can fail. */
export const jobNames = {
  send_mail: 'envoi d’un e-mail',
  send_password_reset: 'envoi d’un lien de mot de passe',
  send_invitation: 'envoi d’une invitation',
  send_factor_code: 'envoi d’un code de second facteur',
  lift_factor: 'levée d’un second facteur',
  tidy_up: 'ménage de la nuit',
  report_failed_jobs: 'signalement des tâches échouées',
  tidy_files: 'ménage des fichiers',
  verify_ledger: 'contrôle du grand livre',
  seal_chain: 'scellement du journal',
  anchor_chain: 'dépôt du sceau du journal',
  recount_duplicates: 'recompte des doublons',
  read_statement: 'lecture d’un relevé',
  resume_jobs: 'reprise des tâches interrompues',
  resume_statements: 'reprise des relevés interrompus',
  drop_statement: 'suppression d’un relevé',
  publish_royalty_run: 'publication de relevés clients',
  send_royalty_letter: 'envoi d’un relevé client',
  refresh_analytics: 'mise à jour de l’analyse des revenus',
  apply_retention: 'application des durées de conservation',
  back_up: 'sauvegarde de la nuit',
  report_late_backup: 'signalement d’une sauvegarde en retard',
} as const;

export const job = {
  label: 'Tâche',
  actions: { 'job.fail': 'Tâche échouée' },
  fields: { task: [jobNames, 'tâche'], attempts: ['number', 'essais'] },
} as const satisfies Entity;
