/** The palette's French: it loads when it is first opened. */
export const frPalette = {
  title: 'Aller à',
  placeholder: 'Un écran, un compte, une sortie, un ISRC, un code-barres, un montant…',
  placeholderScreens: 'Un écran…',
  results: 'Résultats',
  screens: 'Écrans',
  kinds: {
    account: 'Comptes',
    release: 'Sorties',
    track: 'Titres',
    payout: 'Versements',
    ticket: 'Tickets',
  },
  ticketStatus: { OPENED: 'Ouvert', CLOSED: 'Fermé' },
  payoutNumber: (id: number) => `n°\u00a0${id}`,
  searching: 'Recherche…',
  nothing: (text: string) => `Rien ne correspond à «\u00a0${text}\u00a0»`,
  count: (n: number) => (n === 0 ? 'Aucun résultat' : n === 1 ? 'Un résultat' : `${n} résultats`),
  retry: 'Réessayer',
  keys: { move: 'parcourir', open: 'ouvrir', close: 'fermer' },
} as const;
