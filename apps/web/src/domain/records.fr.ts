import { de } from '@regie/values/elision.ts';
import { capital, counted, formatInteger } from '@regie/values/formats.ts';
export const frRecords = {
  compare: {
    less: 'Pourquoi moins\u00a0?',
    more: 'Pourquoi plus\u00a0?',
    same: 'Aucun écart',
    effects: {
      missing: 'Source non reçue',
      extra: 'Source reçue seulement après',
      correction: 'Correction',
      new: 'Titres nouveaux',
      gone: 'Titres retirés',
      moved: 'Titres transférés',
      plays: 'Écoutes',
      amount: 'Montant',
      price: 'Prix',
      rate: 'Taux de change',
      share: 'Part du compte',
      referral: 'Parrainages',
      adjustment: 'Régularisations',
    },
    with: (month: string) => `comparer avec ${month}`,
    change: (percent: string, month: string, former: string, isForecast: boolean) =>
      `${capital(month)}\u00a0: ${percent} par rapport à ${former}${isForecast ? ', avec ce qui reste à comptabiliser' : ''}. `,
  },
  continents: {
    europe: 'Europe',
    africa: 'Afrique',
    asia: 'Asie',
    northAmerica: 'Amérique du Nord',
    southAmerica: 'Amérique du Sud',
    oceania: 'Océanie',
    antarctica: 'Antarctique',
  },
  cover: (title: string) => `Pochette ${de(title)}`,
  doubled: (amount: string) => `En double, à vérifier\u00a0: ${amount}`,
  earlierMonths: {
    before: (month: string) => `Avant ${month}\u00a0: `,
    ready: (amount: string, months: number) => `${amount} à comptabiliser dans ${formatInteger(months)} mois`,
    unchecked: (months: number) => `relevés à valider dans ${formatInteger(months)} mois`,
  },
  missingRate: (amounts: string) => `Hors total, faute de taux\u00a0: ${amounts}`,
  /** product §39.14: only the invoice's page is titled 'Order #396'. */
  nothingToPay: {
    title: 'Rien à verser\u00a0:',
    pending: (amount: string, batch?: string) =>
      `${amount} en attente${batch === undefined ? '' : `, lot n°\u00a0${batch}`}`,
  },
  order: (id: number) => `Commande n°\u00a0${id}`,
  credited: (invoice: string, amount: number) =>
    `Un avoir annulera la facture ${invoice}${amount > 0 ? '\u00a0; le remboursement est à faire séparément' : ''}.`,
  fromPayment: 'Un an à partir du règlement',
  subscriptionEnds:
    'Le compte n’aura plus les avantages de cet abonnement\u00a0; l’abonnement suivant, s’il existe, commence aussitôt.',
  releaseStays: 'Sa sortie garde son état.',
  reports: counted('rapport', 'rapports'),
  importNumber: (id: string) => `Import n°\u00a0${id}`,
  seeImport: 'Voir l’import',
  reverseImport: 'Contre-passer l’import',
  addRate: 'Ajouter le taux',
  memo: 'Libellé',
  paymentReferenceHint: 'Numéro du virement, du chèque ou du reçu',
} as const;
