import { type Fixture, table, windows1251 } from './fixture.ts';

const believeRow = {
  'Reporting month': '2026/05/01',
  'Sales Month': '2026/03/01',
  Platform: 'Spotify',
  'Country / Region': 'Germany',
  ISRC: 'FRABC2600001',
  'Sales Type': 'Stream',
  'Client Payment Currency': 'EUR',
};

export const fixtures: Record<string, Fixture> = {
  believe: {
    file: table(
      'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Release title;Track title;UPC;ISRC;Release Catalog nb;Streaming Subscription Type;Release type;Sales Type;Quantity;Client Payment Currency;Unit Price;Mechanical Fee;Gross Revenue;Client share rate;Net Revenue',
      [
        { ...believeRow, Quantity: '1.234', 'Net Revenue': '1.234,56' },
        { ...believeRow, Quantity: '2', 'Net Revenue': '0,005' },
        // Quoted whole by another program.
        '"2026/05/01;2026/03/01;Deezer;France;L;""A"";R;T;;FRABC2600001;;;;Stream;1;EUR;;;;;0,1",',
        'Total;;;;;;;;;;;;;;;;;;;;1234,665',
      ],
      ';',
    ),
    totals: { EUR: '1234.665' },
    lines: [
      ['2026-03-01', 'Spotify', 'DE', 'FRABC2600001', 'stream', 'EUR', '1236', '1234.565'],
      ['2026-03-01', 'Deezer', 'FR', 'FRABC2600001', 'stream', 'EUR', '1', '0.1'],
    ],
    skipped: { 'Ligne de total': 1 },
    hasWrappedRows: true,
    variants: {
      'other spellings, days before months, dots': {
        file: table(
          'Reporting Month;Sales Month;Platform;Country/Region;Label Name;Artist Name;Release Title;Track Title;UPC/EAN;ISRC;Release Type;Sales Type;Quantity;Currency;Gross Revenue;Net Revenue',
          [
            {
              'Reporting Month': '01/05/2026',
              'Sales Month': '01/02/2026',
              Platform: 'Deezer',
              ISRC: 'FRABC2600001',
              Quantity: '3',
              Currency: 'USD',
              'Net Revenue': '0.0025',
            },
          ],
          ';',
        ),
        totals: { USD: '0.0025' },
      },
    },
  },
  'believe-ru': {
    file: windows1251(
      table(
        'Месяц отчета;Платформа;страна / регион;Исполнитель;Название трека;ISRC;Каталожный номер релиза;Тип продажи;Количество;Валюта;Сумма вознаграждения',
        [
          {
            'Месяц отчета': '01/05/2024',
            Платформа: 'Яндекс Музыка',
            'страна / регион': 'Россия',
            'Название трека': 'Песня',
            ISRC: 'RUA1D2400001',
            'Тип продажи': 'Скачивание',
            Количество: '3',
            Валюта: 'RUB',
            'Сумма вознаграждения': '10,5',
          },
        ],
        ';',
      ),
    ),
    totals: { RUB: '10.5' },
    lines: [['2024-05-01', 'Яндекс Музыка', 'RU', 'RUA1D2400001', 'download', 'RUB', '3', '10.5']],
  },
};
