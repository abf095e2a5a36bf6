/** The frame around every screen. */
export const frShell = {
  skip: 'Aller au contenu',
  mainNavigation: 'Navigation principale',
  openMenu: 'Ouvrir le menu',
  search: 'Rechercher partout',
  palette: 'Aller à',
  collapse: 'Réduire le menu',
  expand: 'Déployer le menu',
  breadcrumb: 'Fil d’Ariane',
  account: (name: string) => `Compte de ${name}`,
  theme: 'Thème',
  themeLight: 'Clair',
  themeDark: 'Sombre',
  themeAuto: 'Automatique',
  shortcuts: 'Raccourcis clavier',
  shortcutsHint: 'j, k, x et / dans les listes',
  signOut: 'Se déconnecter',
  offline:
    'Vous êtes hors ligne : vos changements ne peuvent pas être enregistrés. Nouvel essai dès le retour du réseau.',
  tray: {
    title: 'Travaux en cours',
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
  },
  stepUp: {
    title: 'Confirmez que c’est bien vous',
    text: 'Cette action demande votre second facteur. Ce que vous avez saisi est conservé.',
    providerText:
      'Connectez-vous à nouveau avec le compte de l’entreprise, dans la fenêtre qui s’ouvre. Ce que vous avez saisi ici est conservé.',
    missingTitle: 'Un second facteur est nécessaire',
    missingText:
      'Cette action touche à l’argent ou aux accès\u00a0: ajoutez d’abord un second facteur à votre compte, dans Sécurité.',
    openSecurity: 'Ouvrir Sécurité',
  },
} as const;
