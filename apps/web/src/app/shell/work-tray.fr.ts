export const frTray = {
  title: 'Travaux en cours',
  waiting: 'Travaux terminés, à voir',
  open: (running: number) => (running === 0 ? 'Travaux terminés' : `Travaux en cours : ${running}`),
  cancelWork: (title: string) => `Annuler : ${title}`,
  dismissWork: (title: string) => `Retirer de la liste : ${title}`,
  see: 'Voir le résultat',
  left: (duration: string) => `encore ${duration}`,
  done: 'Terminé',
  attention: 'À traiter',
  failed: 'Échec',
  cancelled: 'Annulé',
  running: 'En cours',
} as const;
