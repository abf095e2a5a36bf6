import type { IncomeKind } from '@regie/contract/statements.ts';
import { de } from '@regie/values/elision.ts';
import {
  counted,
  currencySymbol,
  formatInteger,
  formatMoney,
  formatPercent,
  formatRate,
} from '@regie/values/formats.ts';
import { frRecords } from '#src/domain/records.fr.ts';

const units = { stream: 'écoutes', download: 'téléchargements', video: 'vues' } as const;
/** One play is worth too little to be read. */
const perThousand = (kind: IncomeKind) => kind !== 'download';
const price = (amount: number, currency: string, kind: IncomeKind) =>
  perThousand(kind) ? formatMoney(1000 * amount, currency, 4, 4) : formatMoney(amount, currency);
const rate = (units: number, currency: string) =>
  `${formatRate(Math.round(units * 10_000) / 10_000)} ${currencySymbol(currency)}`;

/** Reports that no statement posted. */
const imported: Record<string, { at: string; name: string } | undefined> = {
  'Import CSV': { at: 'dans les fichiers importés', name: 'fichiers importés' },
  Saisie: { at: 'dans les revenus saisis', name: 'revenus saisis' },
  Vidéo: { at: 'sur les plateformes vidéo', name: 'plateformes vidéo' },
};
const at = (source: string) => imported[source]?.at ?? `chez ${source}`;
/** What caused an effect: the source, track, account or reason with its largest part. */
interface Cause {
  most: string;
  isOne: boolean;
  isLess: boolean;
  kind: IncomeKind;
}
const changeOf = (isLess: boolean) => (isLess ? 'baisse' : 'hausse');

export const frCompare = {
  subjects: {
    account: 'Compte',
    grossAccount: 'Compte',
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
  effects: frRecords.compare.effects,
  /** What changed, from one value to the other. */
  facts: {
    plays: (before: number, after: number, kind: IncomeKind) =>
      `${formatInteger(before)} → ${formatInteger(after)} ${units[kind]}`,
    price: (before: number, after: number, currency: string, kind: IncomeKind) =>
      `${price(before, currency, kind)} → ${price(after, currency, kind)} ${
        perThousand(kind) ? `pour 1\u00a0000 ${units[kind]}` : 'par téléchargement'
      }`,
    rate: (before: number, after: number, currency: string) =>
      `${rate(before, currency)} → ${rate(after, currency)} pour 1\u00a0€`,
    share: (before: number, after: number) => `${formatPercent(before)} → ${formatPercent(after)}`,
  },
  sourceKind: (source: string, kind: IncomeKind) => `${source} (${units[kind]})`,
  amountOf: (name: string, amount: string) => `${name} ${amount}`,
  otherSources: counted('autre', 'autres'),
  otherTracks: counted('autre titre', 'autres titres'),
  otherAccounts: counted('autre compte', 'autres comptes'),
  otherAdjustments: counted('autre régularisation', 'autres régularisations'),
  noTrack: 'Revenu sans titre',
  roundings: 'Arrondis des rapports',
  noReason: 'Régularisation',
  entry: 'Écriture',
  doubled: 'Relevé peut-être en double, à vérifier avant de répondre\u00a0: ',
  month: (ofMonth: string) => `Mois ${ofMonth}`,
  report: (ofMonth: string) => `Rapport ${ofMonth}`,
  statement: (ofMonth: string) => `Relevé ${ofMonth}`,
  answer: 'Réponse à envoyer',
  copy: 'Copier la réponse',
  copied: 'Réponse copiée',
  said: {
    subjects: {
      account: (name: string) => `les revenus du compte ${name}`,
      grossAccount: (name: string) => `les revenus bruts du compte ${name}`,
      track: (name: string) => `les revenus bruts du titre «\u00a0${name}\u00a0»`,
      release: (name: string) => `les revenus bruts de la sortie «\u00a0${name}\u00a0»`,
      store: (name: string) => `les revenus bruts de la plateforme ${name}`,
      all: () => 'les revenus bruts de la maison',
    },
    amounts: (subject: string, after: string, period: string, before: string, former: string, isForecast: boolean) =>
      `Bonjour, ${subject} s’élèvent${isForecast ? ' à ce jour' : ''} à ${after} pour ${period}, contre ${before} pour ${former}`,
    period: (first: string, last: string) => `la période ${de(first)} à ${last}`,
    less: (amount: string) => `, soit ${amount} de moins.`,
    more: (amount: string) => `, soit ${amount} de plus.`,
    same: ', soit le même montant.',
    first: (amount: string, cause: string) => `Le principal effet, de ${amount}, tient ${cause}.`,
    second: (amount: string, cause: string) =>
      `Le deuxième, de ${amount}, tient ${cause}\u00a0; nous restons à votre disposition pour toute question.`,
    none: 'Aucun effet ne distingue ces deux périodes.',
    end: 'Nous restons à votre disposition pour toute question.',
    fact: (fact: string) => ` (${fact.replace('→', 'puis')})`,
    source: (name: string) => imported[name]?.name ?? name,
    sourceAmount: (name: string, amount: string) => `${name} (${amount})`,
    /** After « tient ». */
    onlyOneReceived: (isFirst: boolean, hasMonths: boolean, sources: string) => {
      const one = `seule la ${isFirst ? 'première' : 'seconde'} période a`;
      return hasMonths
        ? `à des mois dont ${one} reçu les revenus\u00a0: ${sources}`
        : `à des revenus que ${one} reçus\u00a0: ${sources}`;
    },
    causes: {
      correction: ({ most, isOne }: Cause) =>
        isOne ? `à une correction ${at(most)}` : `à des corrections, surtout ${at(most)}`,
      new: ({ most }: Cause) => `à de nouveaux titres, dont ${most}`,
      gone: ({ most }: Cause) => `à des titres qui n’ont plus de revenus, dont ${most}`,
      moved: ({ most }: Cause) => `à des titres transférés à un autre compte, dont ${most}`,
      plays: ({ most, isLess, kind }: Cause) => `à la ${changeOf(isLess)} des ${units[kind]}, surtout ${at(most)}`,
      amount: ({ most, isLess }: Cause) => `à la ${changeOf(isLess)} des montants, surtout ${at(most)}`,
      price: ({ most, isLess, kind }: Cause) =>
        `à la ${changeOf(isLess)} du prix des ${units[kind]}, surtout ${at(most)}`,
      rate: ({ most }: Cause) => `à l’évolution du taux de change, surtout ${at(most)}`,
      share: ({ isLess }: Cause) => `à la ${changeOf(isLess)} de la part du compte`,
      referral: ({ most }: Cause) => `aux parrainages, surtout celui ${de(most)}`,
      adjustment: ({ most, isOne }: Cause) =>
        `${isOne ? 'à une régularisation' : 'à des régularisations, dont'} «\u00a0${most}\u00a0»`,
    },
  },
} as const;
