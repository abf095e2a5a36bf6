import type { StatementPreset } from '@regie/contract/statements.ts';
import { kinds, preset } from './preset.ts';

const believe = {
  source: 'Believe',
  monthForms: ['YYYY-MM-DD', 'D/M/YY', 'YYYY-MM'],
  decimalMark: 'either',
} satisfies Partial<StatementPreset>;

export const presets = {
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
      stream: [...kinds.stream, 'стрим', 'прослушив', 'подписк'],
      download: [...kinds.download, 'скачив', 'загрузк', 'продаж'],
      video: [...kinds.video, 'видео'],
    },
  }),
};
