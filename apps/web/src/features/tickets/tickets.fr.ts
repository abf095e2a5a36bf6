import { ticketStatuses } from '@regie/contract/state-names.ts';

/** Tickets. */
export const frTickets = {
  title: { opened: 'Tickets ouverts', closed: 'Tickets fermés' },
  tab: { opened: 'Ouverts', closed: 'Fermés' },
  /** Corrected spelling, except for the quoted words. */
  status: ticketStatuses,
  search: 'Numéro, titre, client ou ISRC',
  account: 'Client',
  column: {
    url: 'Lien',
    timing: 'Passage',
    isrc: 'ISRC',
  },
  openVideo: (number: string) => `Ouvrir la vidéo de ${number} dans un nouvel onglet`,
  from: (start: string) => `à partir de ${start}`,
  until: (end: string) => `jusqu’à ${end}`,
  exportName: { opened: 'tickets-ouverts', closed: 'tickets-fermes' },
  emptyTitle: { opened: 'Aucun ticket ouvert', closed: 'Aucun ticket fermé' },
  emptyText: {
    opened: 'Les réclamations sur des vidéos qui utilisent un titre de la maison apparaîtront ici.',
    closed: 'Un ticket traité se range ici quand son état devient Fermé.',
  },
  add: 'Nouveau ticket',
  create: 'Créer le ticket',
  see: 'Voir le ticket',
  editTitle: (number: string) => `Ticket ${number}`,
  saving: 'Enregistrement…',
  field: {
    title: 'Titre',
    status: 'État',
    track: 'Titre concerné',
    trackHint: 'Par nom ou par ISRC\u00a0; le client est alors celui du titre',
    account: 'Client',
    startAt: 'Début du passage',
    endAt: 'Fin du passage',
    timingHint: 'mm:ss, ou h:mm:ss au-delà d’une heure',
    url: 'Adresse de la vidéo',
    urlHint: 'Sans https:// ni http://, https:// est ajouté.',
    isClaimed: 'La vidéo n’est pas revendiquée par la plateforme',
    isProtected: 'Le contenu est déjà protégé',
    agreements: 'Vérifications',
  },
  createdAt: 'Ouvert le',
  updatedAt: 'Modifié le',
  noTrack: 'Aucun',
} as const;
