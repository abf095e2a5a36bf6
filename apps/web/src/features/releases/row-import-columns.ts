import type { ImportRow } from '@regie/contract/routes/row-import.ts';
import type { ColumnNames } from '#src/lib/tables/small-table.ts';

/** The columns of the file (specification 1 §5), with other names that they go by; `upc` is the barcode (decisions §4). */
export const columnNames: ColumnNames<keyof ImportRow> = {
  titre: ['titre', 'titres', 'title', 'tracktitle', 'titredutitre', 'titredelapiste', 'piste', 'track', 'chanson'],
  artistes: ['artistes', 'artiste', 'artists', 'artist', 'interprete', 'interpretes'],
  barcode: ['barcode', 'upc', 'ean', 'gtin', 'codebarre', 'codebarres', 'codeupc', 'codeean', 'upcean'],
  isrc: ['isrc', 'codeisrc', 'isrccode'],
};

/** The template: the columns and one line of example, with the delimiter that a French Excel opens. */
export const templateText =
  '\ufefftitre;artistes;barcode;isrc\r\nTitre d’exemple;Artiste principal feat. Artiste invité;;\r\n';
