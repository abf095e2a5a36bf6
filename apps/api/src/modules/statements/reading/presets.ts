import type { MonthForm, StatementPreset } from '@regie/contract/statements.ts';
import type { KnownPreset } from './recognise.ts';

/** What most forms say alike. */
const base = {
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
} as const satisfies Partial<StatementPreset>;

type Given = Pick<StatementPreset, 'source' | 'name' | 'columns' | 'monthForms'> & Partial<StatementPreset>;
const preset = (given: Given): StatementPreset => ({
  ...base,
  optional: [],
  signature: [],
  absent: [],
  kinds: { stream: [...base.kinds.stream], download: [...base.kinds.download], video: [...base.kinds.video] },
  skip: [],
  footers: [],
  ...given,
});

/** Where only the column's name is known: every form that names its year and month without doubt. */
const anyMonth: MonthForm[] = [
  'YYYY-MM-DD',
  'YYYY-MM',
  'YYYYMMDD',
  'YYYYMM',
  'YYYY_MM',
  'YYYYMnn',
  'MMM-YY',
  'MMMM YYYY',
  'YYYY-Qn',
];

const currencyNames = {
  EUR: 'en euros',
  USD: 'en dollars américains',
  GBP: 'en livres sterling',
  CAD: 'en dollars canadiens',
  AUD: 'en dollars australiens',
} as const;
type KnownCurrency = keyof typeof currencyNames;

/**
 * One preset for each currency that a file may be in where it names none: several fit, so staff is asked. The likeliest
 * first.
 */
const inEach = (
  key: string,
  currencies: readonly KnownCurrency[],
  given: Given | ((currency: KnownCurrency) => Given),
): Record<string, StatementPreset> =>
  Object.fromEntries(
    currencies.map((currency) => {
      const form = typeof given === 'function' ? given(currency) : { ...given, currency };
      return [
        `${key}-${currency.toLowerCase()}`,
        preset({ ...form, name: `${form.name} (${currencyNames[currency]})` }),
      ];
    }),
  );

const sonosuite = {
  source: 'SonoSuite',
  signature: ['confirmation_report_date', 'currency_rate', 'currency', 'net_total', 'net_total_client_currency'],
  kinds: { video: ['v', 'video'] },
  monthForms: ['YYYY-MM-DD'],
} satisfies Partial<StatementPreset>;
const sonosuiteColumns = {
  isrc: ['isrc'],
  upc: ['upc'],
  title: ['track', 'track_title'],
  artist: ['display_artist', 'artist'],
  store: ['channel'],
  country: ['country'],
  month: ['start_date'],
  quantity: ['units'],
  kind: ['type'],
} satisfies StatementPreset['columns'];

const distrokid = {
  source: 'DistroKid',
  columns: {
    isrc: ['ISRC'],
    upc: ['UPC'],
    title: ['Title'],
    artist: ['Artist'],
    store: ['Store'],
    country: ['Country of Sale'],
    month: ['Sale Month'],
    quantity: ['Quantity'],
    amount: ['Earnings (USD)'],
  },
  currency: 'USD',
  monthForms: ['YYYY-MM'],
} satisfies Partial<StatementPreset>;

const believe = {
  source: 'Believe',
  monthForms: ['YYYY-MM-DD', 'D/M/YY', 'YYYY-MM'],
  decimalMark: 'either',
} satisfies Partial<StatementPreset>;

const fugaExtended = {
  source: 'FUGA',
  columns: {
    isrc: ['Asset ISRC'],
    upc: ['Product UPC'],
    title: ['Asset Title'],
    artist: ['Asset Artist'],
    store: ['DSP', 'Sale Store Name'],
    country: ['Territory'],
    month: ['Sale Start date'],
    quantity: ['Quantity'],
    amount: ['Reported Royalty'],
    kind: ['Sale Type'],
  },
  signature: ['Royalty ID', 'Contract deal term', 'Sale net receipts', 'Royalty Calculation Base'],
  monthForms: ['YYYY-MM-DD'],
} satisfies Partial<StatementPreset>;
/** `Currency` is the sale's; what is paid is in the currency in whose sign the formula ends. */
const fugaFormula = 'Sale net receipts calculation';

const bandcamp = {
  source: 'Bandcamp',
  store: 'Bandcamp',
  kind: 'download',
  kinds: {},
  monthForms: ['M/D/YY'],
  skip: [{ column: 'item type', words: ['payout'], reason: 'Versement' }],
  negative: { column: 'item type', words: ['refund', 'reversal'] },
} satisfies Partial<StatementPreset>;
const bandcampColumns = {
  title: ['item name'],
  artist: ['artist'],
  month: ['date'],
  quantity: ['quantity'],
  amount: ['net amount'],
  currency: ['currency'],
} satisfies StatementPreset['columns'];

const youtube = {
  source: 'YouTube',
  kinds: {},
  currency: 'USD',
} satisfies Partial<StatementPreset>;
const youtubeColumns = {
  isrc: ['ISRC'],
  upc: ['UPC'],
  title: ['Asset Title'],
  artist: ['Artist'],
  country: ['Country'],
  quantity: ['Owned Views'],
  amount: ['Partner Revenue'],
} satisfies StatementPreset['columns'];

/** The forms of statement that Régie knows. `isVerified` only where a real file of that form was read. */
const presets: Record<string, StatementPreset> = {
  distrokid: preset({
    ...distrokid,
    name: 'DistroKid, relevé bancaire (13 colonnes)',
    isVerified: true,
    signature: ['Reporting Date', 'Team Percentage', 'Song/Album', 'Songwriter Royalties Withheld'],
    absent: ['Customer Paid'],
  }),
  'distrokid-2018': preset({
    ...distrokid,
    name: 'DistroKid, relevé bancaire de 2018 (15 colonnes)',
    signature: [
      'Reporting Date',
      'Team Percentage',
      'Song/Album',
      'Songwriter Royalties Withheld',
      'Customer Paid',
      'Customer Currency',
    ],
  }),
  'distrokid-recoup': preset({
    ...distrokid,
    name: 'DistroKid, relevé récent (avec « Recoup »)',
    columns: { ...distrokid.columns, kind: ['Source Type'] },
    signature: ['Date Inserted', 'Reporting Date', 'Team Percentage', 'Recoup (USD)'],
  }),
  tunecore: preset({
    source: 'TuneCore',
    name: 'TuneCore, relevé de ventes',
    columns: {
      isrc: ['Optional ISRC'],
      upc: ['UPC'],
      title: ['Song Title'],
      artist: ['Artist'],
      store: ['Store Name'],
      country: ['Country Of Sale'],
      month: ['Sales Period'],
      quantity: ['# Units Sold'],
      amount: ['Total Earned'],
      currency: ['Currency'],
      kind: ['Sales Type'],
    },
    signature: ['Posted Date', 'TC Song ID', 'Net Sales Currency'],
    monthForms: ['YYYY-MM-DD'],
  }),
  cdbaby: preset({
    source: 'CD Baby',
    name: 'CD Baby, relevé de ventes',
    columns: {
      isrc: ['Isrc'],
      upc: ['Barcode'],
      title: ['Track Name'],
      artist: ['Artist Name'],
      store: ['Partner Name'],
      country: ['Delivery Country'],
      month: ['Sales Date'],
      quantity: ['Quantity'],
      amount: ['Subtotal'],
      kind: ['Transaction Type'],
    },
    signature: ['Report Date', 'CDBabySku'],
    currency: 'USD',
    monthForms: ['M/D/YY'],
  }),
  symphonic: preset({
    source: 'Symphonic',
    name: 'Symphonic, relevé de royautés',
    columns: {
      isrc: ['ISRC Code'],
      upc: ['UPC Code'],
      title: ['Track Title'],
      artist: ['Track Artists'],
      store: ['Digital Service Provider'],
      country: ['Territory'],
      month: ['Activity Period'],
      quantity: ['Count'],
      amount: ['Royalty ($US)'],
      kind: ['Delivery'],
    },
    signature: ['Reporting Period', 'Sale or Void', 'Mix Version'],
    currency: 'USD',
    monthForms: ['MMMM YYYY', 'MMM-YY'],
    skip: [
      {
        column: 'Digital Service Provider',
        words: ['Balance Forwarded From Previous Quarter'],
        reason: 'Report du trimestre précédent',
      },
    ],
  }),
  believe: preset({
    ...believe,
    name: 'Believe, relevé détaillé',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC', 'UPC/EAN', 'EAN'],
      title: ['Track title'],
      artist: ['Artist Name'],
      store: ['Platform'],
      country: ['Country / Region'],
      month: ['Sales Month', 'Reporting month'],
      quantity: ['Quantity'],
      amount: ['Net Revenue'],
      currency: ['Client Payment Currency', 'Currency'],
      kind: ['Sales Type'],
    },
    signature: ['Reporting month', 'Label Name', 'Gross Revenue'],
    absent: ['Transaction Month'],
  }),
  'believe-ru': preset({
    ...believe,
    name: 'Believe, relevé en russe',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC', 'UPC/EAN'],
      title: ['Название трека'],
      artist: ['Исполнитель'],
      store: ['Платформа'],
      country: ['страна / регион'],
      month: ['Месяц отчета'],
      quantity: ['Количество'],
      amount: ['Сумма вознаграждения'],
      currency: ['Валюта'],
      kind: ['Тип продажи'],
    },
    optional: ['upc'],
    signature: ['Каталожный номер релиза'],
    kinds: {
      stream: [...base.kinds.stream, 'стрим', 'прослушив', 'подписк'],
      download: [...base.kinds.download, 'скачив', 'загрузк', 'продаж'],
      video: [...base.kinds.video, 'видео'],
    },
  }),
  orchard: preset({
    source: 'The Orchard',
    name: 'The Orchard, ancien relevé complet',
    columns: {
      isrc: ['ISRC'],
      upc: ['Product UPC', 'Orchard UPC', 'Manufacturer UPC'],
      title: ['Track Name'],
      artist: ['Track Artist', 'Artist Name'],
      store: ['Retailer', 'DMS'],
      country: ['Territory'],
      month: ['Activity Period', 'Period'],
      quantity: ['Quantity'],
      amount: ['Label Share Net Receipts'],
      currency: ['Preferred Currency'],
      kind: ['Trans Type Description', 'Trans Type'],
    },
    signature: ['Period', 'Subaccount', 'Imprint Label', 'Split Rate'],
    monthForms: anyMonth,
    decimalMark: 'either',
  }),
  'orchard-new': preset({
    source: 'The Orchard',
    name: 'The Orchard, relevé actuel',
    columns: {
      isrc: ['ISRC'],
      upc: ['DISPLAY UPC'],
      title: ['TRACK'],
      artist: ['TRACK ARTIST', 'PRODUCT ARTIST'],
      store: ['STORE'],
      country: ['SALE COUNTRY'],
      month: ['STATEMENT PERIOD'],
      quantity: ['QUANTITY'],
      amount: ['NET SHARE ACCOUNT CURRENCY'],
      currency: ['ACCOUNT CURRENCY'],
      kind: ['TRANSACTION SUBTYPE', 'TRANSACTION TYPE'],
    },
    signature: ['PRODUCT', 'TRANSACTION TYPE'],
    monthForms: anyMonth,
    decimalMark: 'either',
  }),
  fuga: preset({
    source: 'FUGA',
    name: 'FUGA, relevé de royautés',
    columns: {
      isrc: ['Asset ISRC'],
      upc: ['Product UPC'],
      title: ['Asset Title'],
      artist: ['Asset Artist'],
      store: ['DSP', 'Sale Store Name'],
      country: ['Territory'],
      month: ['Sale Start date'],
      quantity: ['Asset Quantity', 'Product Quantity'],
      amount: ['Reported Royalty'],
      // Here the sale's has a column of its own.
      currency: ['Currency'],
      kind: ['Sale Type'],
    },
    signature: ['Sale ID', 'Original currency', 'Converted Gross Income', 'Contract deal term'],
    monthForms: ['YYYY-MM-DD'],
  }),
  'fuga-extended': preset({
    ...fugaExtended,
    name: 'FUGA, relevé étendu',
    isVerified: true,
    currencySign: { column: fugaFormula, signs: { '£': 'GBP', '€': 'EUR', US$: 'USD', CA$: 'CAD', A$: 'AUD' } },
  }),
  // A lone `$` is of one of them.
  ...inEach('fuga-extended', ['USD', 'CAD', 'AUD'], (currency) => ({
    ...fugaExtended,
    name: 'FUGA, relevé étendu',
    currencySign: { column: fugaFormula, signs: { $: currency } },
  })),
  bandcamp: preset({
    ...bandcamp,
    name: 'Bandcamp, rapport de ventes (court)',
    isVerified: true,
    columns: bandcampColumns,
    signature: ['paid to', 'item type', 'amount you received', 'bandcamp transaction id'],
    absent: ['isrc'],
  }),
  'bandcamp-raw': preset({
    ...bandcamp,
    name: 'Bandcamp, export brut des ventes',
    columns: { ...bandcampColumns, isrc: ['isrc'], upc: ['upc'], country: ['country code', 'country'] },
    signature: ['paid to', 'item type', 'amount you received', 'change to payout balance'],
  }),
  ...inEach('kontor', ['EUR', 'USD', 'GBP'], {
    source: 'Kontor New Media',
    name: 'Kontor, relevé de royautés',
    columns: {
      isrc: ['ISRC'],
      upc: ['EAN/UPC'],
      title: ['Tracktitle'],
      artist: ['Artist'],
      store: ['Outletname', 'Licensee'],
      country: ['Territory'],
      month: ['Sales Period'],
      quantity: ['Units'],
      amount: ['Royalty Amount Customer'],
      kind: ['Distribution Channel', 'Format'],
    },
    signature: ['Labelname', 'GRid', 'DMB Store Name'],
    monthForms: [...anyMonth, 'D/M/YY'],
    decimalMark: ',',
  }),
  // What is paid is in the client's currency, which is named nowhere in the file.
  ...inEach('sonosuite', ['EUR', 'USD', 'GBP'], {
    ...sonosuite,
    name: 'SonoSuite, relevé payé',
    columns: { ...sonosuiteColumns, amount: ['net_total_client_currency'] },
  }),
  sonosuite: preset({
    ...sonosuite,
    name: 'SonoSuite, relevé dans la devise de chaque vente',
    columns: { ...sonosuiteColumns, amount: ['net_total'], currency: ['currency'] },
  }),
  soundcloud: preset({
    source: 'SoundCloud',
    name: 'SoundCloud for Artists, relevé cumulé',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track'],
      artist: ['Artist(s)', 'Artist'],
      store: ['Partner'],
      country: ['Country'],
      month: ['Reporting Period'],
      quantity: ['Units'],
      amount: ['Revenue (USD)'],
      kind: ['Type'],
    },
    signature: ['Accounting Period', 'Split Pay Share (%)'],
    currency: 'USD',
    monthForms: anyMonth,
  }),
  revelator: preset({
    source: 'Revelator',
    name: 'Revelator, relevé de royautés',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track Title'],
      artist: ['Artist'],
      store: ['Service'],
      country: ['Territory'],
      month: ['Transaction Month'],
      quantity: ['Quantity'],
      amount: ['Net Revenue in USD'],
      kind: ['Channel'],
    },
    signature: ['Statement Period', 'Release Catalog ID'],
    currency: 'USD',
    monthForms: anyMonth,
  }),
  itunes: preset({
    source: 'Apple',
    name: 'iTunes, rapport financier',
    columns: {
      isrc: ['ISRC/ISBN'],
      upc: ['UPC'],
      title: ['Title'],
      artist: ['Artist/Show/Developer/Author'],
      country: ['Country Of Sale'],
      month: ['Start Date'],
      quantity: ['Quantity'],
      amount: ['Extended Partner Share'],
      currency: ['Partner Share Currency'],
    },
    signature: ['Vendor Identifier', 'Sales or Return', 'Product Type Identifier'],
    store: 'iTunes',
    kind: 'download',
    kinds: {},
    monthForms: ['M/D/YY'],
    footers: ['Total_Rows'],
  }),
  'apple-music': preset({
    source: 'Apple',
    name: 'Apple Music, relevé S1',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Content Title'],
      artist: ['Artist'],
      country: ['Storefront Name'],
      month: ['End Date'],
      quantity: ['Total Royalty Bearing Plays'],
      amount: ['Net Royalty Total'],
      currency: ['Currency'],
    },
    optional: ['upc'],
    signature: ['Apple Identifier', 'Share Per Converted Unit', 'Media Type'],
    store: 'Apple Music',
    kind: 'stream',
    kinds: {},
    monthForms: ['M/D/YY', 'YYYY-MM-DD'],
    footers: ['Row Count'],
  }),
  'youtube-asset': preset({
    ...youtube,
    name: 'YouTube, revenus par élément (asset)',
    columns: { ...youtubeColumns, month: ['Day'] },
    signature: ['Adjustment Type', 'Asset ID', 'Asset Channel ID', 'YouTube Revenue Split'],
    absent: ['Video ID'],
    store: 'YouTube',
    kind: 'video',
    monthForms: ['YYYYMMDD'],
  }),
  'youtube-summary': preset({
    ...youtube,
    name: 'YouTube, résumé des abonnements par élément',
    columns: { ...youtubeColumns, month: ['Month'] },
    signature: ['Adjustment Type', 'Asset ID', 'Asset Channel ID', 'YouTube Revenue Split'],
    absent: ['Video ID', 'Day'],
    store: 'YouTube Premium',
    kind: 'stream',
    monthForms: ['YYYYMM'],
  }),
  'youtube-claims': preset({
    ...youtube,
    name: 'YouTube, abonnements par revendication',
    columns: { ...youtubeColumns, month: ['Day'] },
    signature: ['Adjustment Type', 'Asset ID', 'Video ID', 'Claim Type', 'Offer'],
    store: 'YouTube Premium',
    kind: 'stream',
    monthForms: ['YYYYMMDD'],
  }),
  ...inEach('sddigital', ['USD', 'EUR', 'GBP'], {
    source: 'Secretly',
    name: 'Secretly (sddigital), ventes numériques',
    isVerified: true,
    columns: {
      isrc: ['Product ID'],
      upc: ['UPC'],
      title: ['Product Title'],
      artist: ['Artist'],
      store: ['Digital Service Provider_Subdescription'],
      country: ['Country Code'],
      month: ['dateProcessedlast'],
      quantity: ['Quantity'],
      amount: ['Label Net Total'],
      kind: ['Transaction Type'],
    },
    signature: ['Internal Invoice Number', 'Distribution Fee Total', 'internal serial number'],
    monthForms: ['M/D/YY'],
  }),
  ...inEach('sdphysical', ['USD', 'EUR', 'GBP'], {
    source: 'Secretly',
    name: 'Secretly (sdphysical), ventes physiques',
    columns: {
      upc: ['UPC'],
      title: ['Product Title'],
      artist: ['Artist'],
      store: ['Customer'],
      country: ['Country Code'],
      month: ['dateProcessedlast'],
      quantity: ['signedQuantity'],
      amount: ['Label Net Total'],
    },
    signature: ['Internal Invoice Number', 'CustomerClassification', 'MnD Fee Total'],
    kind: 'download',
    kinds: {},
    monthForms: ['M/D/YY'],
  }),
  ...inEach('cargo-physical', ['GBP', 'EUR', 'USD'], {
    source: 'Cargo',
    name: 'Cargo, ventes physiques',
    isVerified: true,
    columns: {
      upc: ['UPC on report'],
      title: ['Title / More info'],
      artist: ['Artist / Invoice Ref'],
      store: ['Sold To'],
      country: ['Country'],
      month: ['Period'],
      quantity: ['Net Qty'],
      amount: ['Net after fee'],
    },
    signature: ['Catalogue No.', 'Sale / Cost', 'Distribution fee', 'Storage Costs'],
    kind: 'download',
    kinds: {},
    monthForms: ['YYYY_MM', 'YYYY-MM-DD'],
  }),
  'dsr-sales': preset({
    source: 'DDEX',
    name: 'DDEX DSR, ventes par sortie et par titre (SRB)',
    layout: 'dsr',
    columns: {
      isrc: ['SR08.ResourceISRC'],
      upc: ['SR08.ReleaseICPN'],
      title: ['SR08.ResourceTitle', 'SR08.ReleaseTitle'],
      artist: ['SR08.ResourceDisplayArtistName', 'SR08.ReleaseDisplayArtistName'],
      store: ['SRHE.SenderName', 'HEAD.SenderName'],
      country: ['SY10.Territory'],
      month: ['SR08.SalesTransactionDate'],
      quantity: ['SR08.NetUsage'],
      amount: ['SR08.AllocatedNetRevenueInCurrencyOfAccounting'],
      currency: ['SY10.CurrencyOfAccounting'],
      kind: ['SY10.UseType'],
    },
    monthForms: ['YYYY-MM-DD', 'YYYYMMDD'],
  }),
  'dsr-ugc': preset({
    source: 'DDEX',
    name: 'DDEX DSR, contenus d’utilisateurs (UGC), revenus nets par titre',
    isVerified: true,
    layout: 'dsr',
    columns: {
      isrc: ['AS01.ISRC'],
      title: ['AS01.Title'],
      artist: ['AS01.DisplayArtistName'],
      store: ['HEAD.SenderName'],
      country: ['SY02.Territory'],
      month: ['SU03.ValidityPeriodStart', 'HEAD.UsageStartDate'],
      quantity: ['SU03.Usages'],
      amount: ['SU03.NetRevenue'],
      currency: ['SY02.CurrencyOfReporting', 'SY02.Currency'],
    },
    kinds: {},
    monthForms: ['YYYYMMDD', 'YYYY-MM-DD'],
  }),
  landr: preset({
    source: 'LANDR',
    name: 'LANDR, relevé de revenus',
    columns: {
      isrc: ['ISRC'],
      upc: ['UPC'],
      title: ['Track title', 'Title'],
      artist: ['Artist'],
      store: ['Store'],
      country: ['Country'],
      month: ['Payment Date'],
      quantity: ['Quantity of sales or streams'],
      amount: ['Net earnings (USD)'],
      kind: ['Store service'],
    },
    optional: ['title', 'artist', 'country'],
    signature: ['Share %'],
    currency: 'USD',
    monthForms: ['YYYY-MM-DD'],
  }),
  ...inEach('pretzel', ['USD', 'EUR', 'GBP'], {
    source: 'Pretzel',
    name: 'Pretzel, relevé de versement',
    columns: {
      isrc: ['isrc'],
      upc: ['icpn'],
      title: ['title', 'track_title'],
      artist: ['artist', 'artist_name'],
      month: ['disbursement'],
      quantity: ['total_plays'],
      amount: ['total_revenue'],
    },
    optional: ['title', 'artist'],
    signature: ['downloads_count'],
    kind: 'stream',
    kinds: {},
    monthForms: ['MMM-YY', 'MMMM YYYY'],
  }),
  regie: preset({
    source: 'Régie',
    name: 'Régie, rapport par ISRC (le mois est à indiquer)',
    isVerified: true,
    columns: { isrc: ['isrc', 'code isrc', 'isrc code'] },
    incomes: [
      {
        kind: 'stream',
        quantity: ['streams', 'stream', 'numofstreams', 'écoutes', 'nombre d’écoutes', 'nb écoutes'],
        amount: ['incomeofstreams', 'streams income', 'revenus des écoutes', 'revenus écoutes', 'montant écoutes'],
      },
      {
        kind: 'download',
        quantity: ['downloads', 'download', 'numofdownloads', 'téléchargements', 'nombre de téléchargements'],
        amount: [
          'incomeofdownloads',
          'downloads income',
          'revenus des téléchargements',
          'revenus téléchargements',
          'montant téléchargements',
        ],
      },
      {
        kind: 'video',
        quantity: ['youtube', 'numofyoutube', 'vues youtube', 'vues', 'nombre de vues'],
        amount: ['incomeofyoutube', 'youtube income', 'revenus youtube', 'revenus des vues', 'montant youtube'],
      },
    ],
    currency: 'USD',
    monthForms: ['YYYY-MM'],
    decimalMark: 'either',
  }),
};

/** Every preset of the house, under the key that statements remember. */
export const housePresets: readonly KnownPreset[] = Object.entries(presets).map(([key, known]) => ({
  key,
  preset: known,
}));

/** A preset as a screen lists it. */
export interface PresetDescription {
  key: string;
  source: string;
  name: string;
  isVerified: boolean;
  /** The names of columns that it knows a file by. */
  columns: string[];
}

export function describePresets(known: readonly KnownPreset[] = housePresets): PresetDescription[] {
  return known.map(({ key, preset: { source, name, isVerified, columns, incomes, signature } }) => ({
    key,
    source,
    name,
    isVerified,
    columns: [
      ...new Set([
        ...Object.values(columns).flatMap((names) => names[0] ?? []),
        ...(incomes ?? []).flatMap(({ quantity, amount }) => [quantity[0] ?? '', amount[0] ?? '']),
        ...signature,
      ]),
    ],
  }));
}
