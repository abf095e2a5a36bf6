import type { ImportRow } from '@regie/contract/routes/row-import.ts';
import type { ColumnNames } from '#src/lib/tables/small-table.ts';

/** The columns of the file (product §15.8) with their aliases; `upc` is the barcode (product §25.4). */
export const columnNames: ColumnNames<keyof ImportRow> = {
  titre: ['titre', 'titres', 'title', 'tracktitle', 'titredutitre', 'titredelapiste', 'piste', 'track', 'chanson'],
  artistes: ['artistes', 'artiste', 'artists', 'artist', 'interprete', 'interpretes'],
  barcode: ['barcode', 'upc', 'ean', 'gtin', 'codebarre', 'codebarres', 'codeupc', 'codeean', 'upcean'],
  isrc: ['isrc', 'codeisrc', 'isrccode'],
};

/** The template's columns and its example row. */
export const templateExample = {
  titre: 'Titre d’exemple',
  artistes: 'Artiste principal feat. Artiste invité',
  barcode: '',
  isrc: '',
};
