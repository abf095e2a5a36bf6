import type { StatementPreset } from '@regie/contract/statements.ts';
import { type MonthForm, plainForms } from '@regie/values/period.ts';

/** Defaults shared by most forms. */
export const base = {
  isVerified: false,
  layout: 'table',
  optional: [],
  signature: [],
  absent: [],
  decimalMark: '.',
  kinds: {
    stream: ['stream', 'subscription', 'abonnement', 'ad supported', 'ad-supported', 'play', 'écoute'],
    download: ['download', 'téléchargement', 'album', 'single', 'track', 'purchase', 'sale', 'vente', 'ringtone'],
    video: ['video', 'vidéo', 'clip'],
  },
  skip: [],
  footers: [],
  isFooterRequired: true,
  preamble: {},
  currencies: [],
  emptyAmount: 'refuse',
  calendar: 'common',
} as const satisfies Partial<StatementPreset>;

type Given = Pick<StatementPreset, 'source' | 'name' | 'columns' | 'monthForms'> & Partial<StatementPreset>;
/** A preset from a source's description and the defaults. */
export const preset = (given: Given): StatementPreset => ({
  ...base,
  optional: [],
  signature: [],
  absent: [],
  // Words of the column that names the kind.
  kinds: given.columns.kind ? structuredClone({ ...base.kinds }) : {},
  skip: [],
  footers: [],
  currencies: [],
  ...given,
});

/** Unknown date format: accepts every form with an unambiguous year and month. */
export const anyMonth: MonthForm[] = [...plainForms];
