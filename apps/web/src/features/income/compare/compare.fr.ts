import { de } from '@regie/values/elision.ts';
import {
  counted,
  currencySymbol,
  formatInteger,
  formatMoney,
  formatPercent,
  formatRate,
} from '@regie/values/formats.ts';

const price = (amount: number, currency: string) => formatMoney(amount, currency, 4);
const rate = (units: number, currency: string) =>
  `${formatRate(Math.round(units * 10_000) / 10_000)} ${currencySymbol(currency)}`;

/** Reports that no statement posted. */
const imported: Record<string, { at: string; of: string } | undefined> = {
  'Import CSV': { at: 'dans les fichiers importés', of: 'de fichier importé' },
  Saisie: { at: 'dans les revenus saisis', of: 'de revenu saisi' },
  Vidéo: { at: 'sur les plateformes vidéo', of: 'de revenu vidéo' },
};
const at = (source: string) => imported[source]?.at ?? `chez ${source}`;

export const frCompare = {
  subjects: {
    account: 'Compte',
    track: 'Titre',
    release: 'Sortie',
    store: 'Plateforme',
    all: 'Tous les revenus',
  },
  basis: {
    net: 'Part du compte, parrainages et régularisations\u00a0; ni versements, ni frais.',
    gross: 'Revenus bruts.',
  },
  from: 'Mois de référence',
  to: 'Mois comparé',
  months: 'Nombre de mois',
  figures: 'Montants comparés',
  difference: 'Écart',
  forecast: 'Une partie reste à comptabiliser\u00a0: elle est prévue aux taux et aux parts actuels.',
  missingRates: (amounts: string) => `Sans taux de change, donc hors de ces montants\u00a0: ${amounts}.`,
  fromTo: (before: string, after: string) => `${before} → ${after}`,
  table: 'Ce qui explique l’écart',
  effect: 'Effet',
  amount: 'Montant',
  nothing: 'Les deux périodes ont le même montant.',
  open: (name: string) => `Détail\u00a0: ${name}`,
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
  /** What changed, from one value to the other. */
  facts: {
    plays: (before: number, after: number) => `${formatInteger(before)} → ${formatInteger(after)} écoutes`,
    price: (before: number, after: number, currency: string) =>
      `${price(before, currency)} → ${price(after, currency)} pour 1\u00a0000 écoutes`,
    rate: (before: number, after: number, currency: string) =>
      `${rate(before, currency)} → ${rate(after, currency)} pour 1\u00a0€`,
    share: (before: number, after: number) => `${formatPercent(before)} → ${formatPercent(after)}`,
  },
  otherTracks: counted('autre titre', 'autres titres'),
  otherAccounts: counted('autre compte', 'autres comptes'),
  otherAdjustments: counted('autre régularisation', 'autres régularisations'),
  noTrack: 'Revenu sans titre',
  roundings: 'Arrondis des rapports',
  noReason: 'Régularisation',
  entry: 'Écriture',
  report: (ofMonth: string) => `Rapport ${ofMonth}`,
  statement: (ofMonth: string) => `Relevé ${ofMonth}`,
  answer: 'Réponse à envoyer',
  copy: 'Copier la réponse',
  copied: 'Réponse copiée',
  said: {
    subjects: {
      account: (name: string) => `les revenus du compte ${name}`,
      track: (name: string) => `les revenus bruts du titre «\u00a0${name}\u00a0»`,
      release: (name: string) => `les revenus bruts de la sortie «\u00a0${name}\u00a0»`,
      store: (name: string) => `les revenus bruts de la plateforme ${name}`,
      all: () => 'les revenus bruts de la maison',
    },
    amounts: (subject: string, after: string, period: string, before: string, former: string, isForecast: boolean) =>
      `Bonjour, ${subject} s’élèvent${isForecast ? ' à ce jour' : ''} à ${after} pour ${period}, contre ${before} pour ${former}`,
    period: (name: string) => `la période ${name}`,
    less: (amount: string) => `, soit ${amount} de moins.`,
    more: (amount: string) => `, soit ${amount} de plus.`,
    same: ', soit le même montant.',
    first: (amount: string, cause: string) => `Le principal effet, de ${amount}, tient ${cause}.`,
    second: (amount: string, cause: string) =>
      `Le deuxième, de ${amount}, tient ${cause}\u00a0; nous restons à votre disposition pour toute question.`,
    none: 'Aucun effet ne distingue ces deux périodes.',
    end: 'Nous restons à votre disposition pour toute question.',
    fact: (fact: string) => ` (${fact.replace('→', 'puis')})`,
    /** After « tient »; `most` names the source, track, account or reason with the largest part. */
    causes: {
      missing: (most: string) =>
        imported[most]
          ? `à l’absence ${imported[most].of} pour la seconde période`
          : `au relevé ${de(most)}, qui n’est pas encore reçu pour la seconde période`,
      extra: (most: string) =>
        imported[most]
          ? `à l’absence ${imported[most].of} pour la première période`
          : `au relevé ${de(most)}, qui n’est reçu que pour la seconde période`,
      correction: (most: string) => `à une correction ${at(most)}`,
      new: (most: string) => `à de nouveaux titres, dont ${most}`,
      gone: (most: string) => `à des titres qui n’ont plus de revenus, dont ${most}`,
      moved: (most: string) => `à des titres transférés à un autre compte, dont ${most}`,
      plays: (most: string, isLess: boolean) => `à la ${isLess ? 'baisse' : 'hausse'} des écoutes, surtout ${at(most)}`,
      amount: (most: string, isLess: boolean) =>
        `à la ${isLess ? 'baisse' : 'hausse'} des montants, surtout ${at(most)}`,
      price: (most: string, isLess: boolean) =>
        `à la ${isLess ? 'baisse' : 'hausse'} du prix des écoutes, surtout ${at(most)}`,
      rate: (most: string) => `à l’évolution du taux de change, surtout ${at(most)}`,
      share: (_: string, isLess: boolean) => `à la ${isLess ? 'baisse' : 'hausse'} de la part du compte`,
      referral: (most: string) => `aux parrainages, surtout celui ${de(most)}`,
      adjustment: (most: string) => `à une régularisation, «\u00a0${most}\u00a0»`,
    },
  },
} as const;
