/** The palette, loaded with its results. */
export const frPalette = {
  placeholder: 'Un écran, un compte, une sortie, un ISRC, un code-barres, un montant…',
  placeholderScreens: 'Un écran…',
  results: 'Résultats',
  screens: 'Écrans',
  kinds: {
    account: 'Comptes',
    release: 'Sorties',
    track: 'Titres',
    payout: 'Versements',
    order: 'Commandes et factures',
    ticket: 'Tickets',
  },
  ticketStatus: { OPENED: 'Ouvert', CLOSED: 'Fermé' },
  invoice: (number: string) => `Facture ${number}`,
  searching: 'Recherche…',
  nothing: (text: string) => `Rien ne correspond à «\u00a0${text}\u00a0»`,
  count: (n: number) => (n === 0 ? 'Aucun résultat' : n === 1 ? 'Un résultat' : `${n} résultats`),
  retry: 'Réessayer',
  keys: { move: 'parcourir', open: 'ouvrir', close: 'fermer' },
} as const;
