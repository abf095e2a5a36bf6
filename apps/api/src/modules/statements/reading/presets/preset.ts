import { type MonthForm, plainForms, type StatementPreset } from '@regie/contract/statements.ts';

/** What most forms say alike. */
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
/** A form as a source describes it, the rest as most forms have it. */
export const preset = (given: Given): StatementPreset => ({
  ...base,
  optional: [],
  signature: [],
  absent: [],
  kinds: { stream: [...base.kinds.stream], download: [...base.kinds.download], video: [...base.kinds.video] },
  skip: [],
  footers: [],
  currencies: [],
  ...given,
});

/** Where only the column's name is known: every form that names its year and month without doubt. */
export const anyMonth: MonthForm[] = [...plainForms];
