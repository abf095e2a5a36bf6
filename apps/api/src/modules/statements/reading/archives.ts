import { PassThrough, type Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { bounded } from './decode.ts';
import { StatementRefusal } from './refusal.ts';

/** A stored file, of which any part can be read. */
export interface StoredFile {
  sizeBytes: number;
  /** @param range both ends inclusive */
  open: (range?: { start: number; end: number }) => Promise<Readable>;
}

class StoredReader extends RandomAccessReader {
  readonly #file: StoredFile;

  constructor(file: StoredFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const through = new PassThrough();
    this.#file.open({ start, end: end - 1 }).then(
      (stream) => stream.on('error', (error) => through.destroy(error)).pipe(through),
      (error: Error) => through.destroy(error),
    );
    return through;
  }
}

const tablePattern = /\.(csv|tsv|txt|tab|xls)$/i;
const isHidden = (name: string) => name.startsWith('__MACOSX/') || (name.split('/').at(-1) ?? '').startsWith('.');

const damaged = () => new StatementRefusal('Ce fichier ZIP est abîmé ou coupé');

/**
 * The one table inside a ZIP; letters and pictures beside it are not looked at.
 * @throws StatementRefusal for none, several, encrypted or damaged ones
 */
export async function* unzip(file: StoredFile): AsyncGenerator<Buffer, void> {
  try {
    // Nothing is left open by it: each range is a stream of its own.
    const zip = await fromRandomAccessReaderPromise(new StoredReader(file), file.sizeBytes, {
      lazyEntries: true,
      autoClose: false,
    });
    let table: Entry | undefined;
    const names: string[] = [];
    let hasWorkbook = false;
    for await (const entry of zip.eachEntry()) {
      hasWorkbook ||= /\.xlsx$/i.test(entry.fileName);
      if (entry.fileName.endsWith('/') || isHidden(entry.fileName) || !tablePattern.test(entry.fileName)) continue;
      table ??= entry;
      names.push(entry.fileName);
    }
    if (!table && hasWorkbook) {
      throw new StatementRefusal('Ce fichier ZIP contient un classeur Excel\u00a0: déposez le classeur lui-même');
    }
    if (!table) throw new StatementRefusal('Ce fichier ZIP ne contient aucun relevé en CSV, TSV ou TXT');
    if (names.length > 1) {
      throw new StatementRefusal(
        `Ce fichier ZIP contient plusieurs relevés (${names.slice(0, 3).join(', ')}${names.length > 3 ? '…' : ''})\u00a0: déposez-les un par un`,
      );
    }
    if ((table.generalPurposeBitFlag & 1) !== 0) {
      throw new StatementRefusal('Ce fichier ZIP est protégé par un mot de passe');
    }
    const { compressedSize } = table;
    let sum = 0;
    for await (const piece of bounded(await zip.openReadStreamPromise(table), () => compressedSize)) {
      sum = crc32(piece, sum);
      yield piece;
    }
    // A bit that fell over still inflates: to another amount.
    if (sum !== table.crc32) throw damaged();
  } catch (error) {
    if (error instanceof StatementRefusal) throw error;
    // Whatever else goes wrong in an archive is the archive's fault, unless the storage itself failed.
    if (error instanceof Error && error.name === 'StorageMissing') throw error;
    if (error instanceof Error && 'code' in error && typeof error.code === 'string' && !error.code.startsWith('Z_'))
      throw error;
    throw damaged();
  }
}
