import type { StatementPreset } from '@regie/contract/statements.ts';
import { type MonthForm, plainForms } from '@regie/values/period.ts';

type Own = 'source' | 'name' | 'columns' | 'monthForms';
/** Words of the column that names the kind. */
export const kinds = {
  stream: ['stream', 'subscription', 'abonnement', 'ad supported', 'ad-supported', 'play', 'écoute'],
  download: ['download', 'téléchargement', 'album', 'single', 'track', 'purchase', 'sale', 'vente', 'ringtone'],
  video: ['video', 'vidéo', 'clip'],
};
/** Defaults shared by most forms. */
const base: Omit<StatementPreset, Own | 'kinds'> = {
  isVerified: false,
  layout: 'table',
  optional: [],
  signature: [],
  absent: [],
  decimalMark: '.',
  skip: [],
  footers: [],
  isFooterRequired: true,
  preamble: {},
  currencies: [],
  emptyAmount: 'refuse',
  calendar: 'common',
};

export const preset = (given: Pick<StatementPreset, Own> & Partial<StatementPreset>): StatementPreset => ({
  ...base,
  kinds: given.columns.kind ? kinds : {},
  ...given,
});

/** Unknown date format: accepts every form with an unambiguous year and month. */
export const anyMonth: MonthForm[] = [...plainForms];
