import { messages } from '@regie/contract/messages.ts';
import type { ReportField } from './csv-columns.ts';
import type { NumberFormat } from './csv-numbers.ts';

const nbsp = '\u00A0';

export const fieldNames: Record<ReportField, string> = {
  isrc: 'ISRC',
  numOfStreams: 'Écoutes',
  incomeOfStreams: 'Revenus des écoutes',
  numOfDownloads: 'Téléchargements',
  incomeOfDownloads: 'Revenus des téléchargements',
  numOfYoutube: 'Vues vidéo',
  incomeOfYoutube: 'Revenus vidéo',
};

export const formatNames: Record<NumberFormat, string> = {
  comma: 'Virgule décimale (1234,56)',
  dot: 'Point décimal (1234.56)',
  commaGroupedBySpace: `Espace pour les milliers, virgule décimale (1${nbsp}234,56)`,
  commaGroupedByDot: 'Point pour les milliers, virgule décimale (1.234,56)',
  dotGroupedByComma: 'Virgule pour les milliers, point décimal (1,234.56)',
  dotGroupedBySpace: `Espace pour les milliers, point décimal (1${nbsp}234.56)`,
};

/** What the import says about a file and its rows; the reasons also stand in the file of unsaved rows. */
export const csvSentences = {
  fileType: messages.csvFileType,
  invalidData: messages.invalidData,
  doubledColumn: (first: string, second: string) =>
    `Les colonnes «${nbsp}${first}${nbsp}» et «${nbsp}${second}${nbsp}» désignent la même donnée${nbsp}: gardez-en une seule`,
  noIsrcColumn: `Aucune colonne ISRC${nbsp}: la première ligne du fichier doit nommer les colonnes, dont «${nbsp}isrc${nbsp}»`,
  noValueColumn: `Aucune colonne d’écoutes, de téléchargements, de vidéo ou de revenus n’est reconnue${nbsp}: partez du modèle`,
  noRows: 'Le fichier ne contient aucune ligne de données',
  quotes: (line: number) => `${messages.invalidData}${nbsp}: guillemets mal fermés vers la ligne ${line} du fichier`,
  legacyExcel: `Ce fichier est au format Excel 97-2003 (.xls)${nbsp}: enregistrez-le en .xlsx ou en CSV`,
  workbookTooLarge: (maxMb: number) =>
    `Ce classeur dépasse ${maxMb}${nbsp}Mo${nbsp}: enregistrez-le en CSV, dont la taille n’est pas limitée`,
  workbook: `${messages.invalidData}${nbsp}: ce classeur Excel ne se lit pas, enregistrez-le à nouveau ou en CSV`,
  fileChanged: `Le fichier a changé ou n’est plus lisible${nbsp}: sélectionnez-le à nouveau`,
  shortRow: (count: number, expected: number) => `Ligne incomplète${nbsp}: ${count} colonnes au lieu de ${expected}`,
  longRow: (count: number, expected: number) => `Ligne trop longue${nbsp}: ${count} colonnes au lieu de ${expected}`,
  notANumber: (field: ReportField, text: string) =>
    `${fieldNames[field]}${nbsp}: «${nbsp}${text}${nbsp}» ne se lit pas avec la marque décimale choisie`,
  notACount: (field: ReportField, text: string) =>
    `${fieldNames[field]}${nbsp}: «${nbsp}${text}${nbsp}» n’est pas un nombre entier`,
  batchFailed: (message: string) => `Lot non enregistré${nbsp}: ${message}`,
  reasonColumn: 'raison',
};
