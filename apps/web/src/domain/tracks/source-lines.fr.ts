import { de } from '@regie/values/elision.ts';
import { plural } from '@regie/values/formats.ts';

export const frSourceLines = {
  title: 'Pourquoi ce montant\u00a0?',
  hint: 'Les relevés à l’origine de ce rapport et, pour chacun, les plateformes, les pays et les lignes du fichier.',
  rateChanged:
    'Un taux de change a été modifié depuis\u00a0: les montants en dollars ci-dessous sont aux taux d’aujourd’hui et peuvent différer légèrement de ceux du rapport.',
  file: 'Relevé',
  kind: 'Type de revenu',
  kinds: { stream: 'Écoutes', download: 'Téléchargements', video: 'Vidéos' },
  quantity: 'Quantité',
  amount: 'Montant du fichier',
  usd: 'En dollars',
  detail: 'Détail',
  detailName: (file: string) => `Détail ${de(file)}`,
  detailOf: (file: string) => `Plateformes et lignes ${de(file)}`,
  store: 'Plateforme',
  country: 'Pays',
  lines: 'Lignes du fichier',
  lineNumber: (line: string) => `Ligne ${line}`,
  sheetLine: (sheet: string, line: string) => `Feuille ${sheet}, ligne ${line}`,
  lineWithin: (sheet: string, line: string) => `${line} de la feuille ${sheet}`,
  showLine: (line: string, file: string) => `Voir la ligne ${line} ${de(file)}`,
  moreLines: (count: number) => `et ${plural(count, 'autre', 'autres')}`,
  more: (shown: string, total: string) => `Les ${shown} plus grands montants sur ${total}.`,
  lineTitle: (line: string, file: string) => `Ligne ${line} ${de(file)}`,
  lineText: 'Texte',
  fileGone: 'Le fichier n’est plus conservé.',
  openStatement: 'Ouvrir le relevé',
  none: 'Aucun relevé n’est plus rattaché à ce rapport.',
} as const;
