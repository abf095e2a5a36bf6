export const maxEcbCharacters = 5 * 1024 * 1024;

const wanted = 'le CSV des moyennes mensuelles contre l’euro (séries EXR.M.USD.EUR.SP00.A, EXR.M.GBP.EUR.SP00.A…)';

export const toFrench = (rate: string) => Number(rate).toLocaleString('fr-FR', { maximumFractionDigits: 10 });

export const exchangeRateMessages = {
  ecbRequired: 'Déposez le fichier de la BCE, ou collez son contenu',
  ecbTooLarge: 'Ce fichier dépasse 5 Mo\u00a0: limitez-le aux moyennes mensuelles des devises voulues',
  ecbUnknown: `Ce n’est pas un fichier de taux de la BCE\u00a0: il faut ${wanted}`,
  ecbPacked: `C’est un classeur ou une archive\u00a0: il faut ${wanted}`,
  ecbDaily: `Ce fichier donne les taux de chaque jour, qui ne sont pas des moyennes mensuelles\u00a0: il faut ${wanted}`,
  ecbEndOfPeriod: `Ce fichier donne les taux de fin de mois\u00a0: il faut ${wanted}`,
  ecbNone: `Aucune moyenne mensuelle contre l’euro dans ce fichier\u00a0: il faut ${wanted}`,
  ecbMonth: (line: number, text: string) =>
    `Ligne ${line}\u00a0: «\u00a0${text}\u00a0» n’est pas un mois. Déposez le fichier de la BCE sans l’avoir enregistré dans un tableur`,
  ecbRate: (line: number, text: string) => `Ligne ${line}\u00a0: «\u00a0${text}\u00a0» n’est pas un taux`,
  ecbUnit: (line: number, text: string) => `Ligne ${line}\u00a0: l’unité ${text} n’est pas prise en charge`,
  ecbShort: (line: number) => `Ligne ${line}\u00a0: la ligne est coupée. Reprenez le fichier entier`,
  ecbTwice: (line: number, currency: string, month: string) =>
    `Ligne ${line}\u00a0: un autre taux est déjà donné pour ${currency}, ${month}`,
  ecbLine: (line: number | undefined, text: string) => (line === undefined ? text : `Ligne ${line}\u00a0: ${text}`),
  first: (currency: string, rate: string) =>
    `C’est le premier taux de cette devise\u00a0: 1\u00a0€ vaut ${toFrench(rate)}\u00a0${currency}. Vérifiez-le, puis confirmez-le`,
  /** @param rate as decimal text */
  far: (rate: string) => `Ce taux s’écarte de plus de 20\u00a0% de ${toFrench(rate)}. Vérifiez-le, puis confirmez-le`,
  farAlert: (currency: string, month: string, rate: string, farFrom: string) =>
    `Le taux ${currency} de ${month} est fixé à ${toFrench(rate)}, à plus de 20\u00a0% de ${toFrench(farFrom)}.`,
} as const;
