import { PassThrough, pipeline, Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { bounded } from './decode.ts';
import { StatementRefusal } from './refusal.ts';

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
    // An empty file has no range to request.
    if (end <= start) return Readable.from([]);
    const through = new PassThrough();
    this.#file.open({ start, end: end - 1 }).then(
      // Whoever stops reading early closes the file as well.
      (stream) => pipeline(stream, through, () => undefined),
      (error: Error) => through.destroy(error),
    );
    return through;
  }
}

const packedPattern = /\.(xlsx|gz|zip)$/i;
const otherPattern = /\.(pdf|docx?|odt|rtf|html?|xml|json|md|jpe?g|png|gif|webp|eml|msg|exe|wav|mp3|mp4)$/i;
export const maxMembers = 1000;
const isHidden = (name: string) => name.startsWith('__MACOSX/') || (name.split('/').at(-1) ?? '').startsWith('.');

const documents: readonly (readonly [member: RegExp, name: string])[] = [
  [/^xl\/workbook\.bin$/, 'un classeur Excel binaire (XLSB)'],
  [/^META-INF\/manifest\.xml$/, 'un document OpenDocument (ODS)'],
  [/^Index(?:\.zip$|\/.+\.iwa$)/, 'un document Numbers'],
  [/^(?:word|ppt)\//, 'un document Word ou PowerPoint'],
];

export const otherFile = (name: string): string =>
  `Ce fichier est ${name}\u00a0: enregistrez le relevé en ${name.startsWith('une archive') ? 'ZIP, ou ses fichiers en ' : ''}XLSX ou en CSV`;

const damaged = () => new StatementRefusal('Ce fichier ZIP est abîmé ou coupé');

async function entriesOf(file: StoredFile) {
  // Nothing stays open: each range is its own stream.
  const zip = await fromRandomAccessReaderPromise(new StoredReader(file), file.sizeBytes, {
    lazyEntries: true,
    autoClose: false,
  });
  const entries: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/') || isHidden(entry.fileName)) continue;
    if (entries.length === maxMembers)
      throw new StatementRefusal(`Ce fichier ZIP contient plus de ${maxMembers} fichiers`);
    const [, document] = documents.find(([member]) => member.test(entry.fileName)) ?? [];
    if (document !== undefined) throw new StatementRefusal(otherFile(document));
    entries.push(entry);
  }
  return { zip, entries };
}

/** Reports errors as a damaged archive, except errors of the storage. */
function faultOf(error: unknown): unknown {
  if (error instanceof StatementRefusal) return error;
  if (error instanceof Error && error.name === 'StorageMissing') return error;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string' && !error.code.startsWith('Z_'))
    return error;
  return damaged();
}

/** @throws StatementRefusal for a damaged one, or a document of another program */
export const requireArchive = (file: StoredFile) =>
  entriesOf(file).catch((error: unknown) => {
    throw faultOf(error);
  });

export type ArchiveMember = { name: string; sizeBytes: number; isTable: boolean };

/** Undefined for a ZIP of one text file. @throws StatementRefusal for a damaged one */
export async function listMembers(file: StoredFile): Promise<ArchiveMember[] | undefined> {
  const { entries } = await requireArchive(file);
  const members = entries.map(({ fileName: name, uncompressedSize: sizeBytes }) => ({
    name,
    sizeBytes,
    isTable: !otherPattern.test(name),
  }));
  const [only, ...others] = members;
  const isOneText = only !== undefined && others.length === 0 && only.isTable && !packedPattern.test(only.name);
  return members.length === 0 || isOneText ? undefined : members;
}

/** A named file, or the only one. @throws StatementRefusal when it is missing, encrypted or damaged */
export async function* unzip(file: StoredFile, name?: string): AsyncGenerator<Buffer, void> {
  const { zip, entries } = await requireArchive(file);
  const [only, other] = entries;
  const member = name === undefined ? !other && only : entries.find(({ fileName }) => fileName === name);
  if (!member || (name === undefined && otherPattern.test(member.fileName)))
    throw new StatementRefusal('Ce fichier ZIP ne contient aucun relevé en CSV, TSV, TXT ou XLSX');
  yield* readEntry(zip, member);
}

/** @throws StatementRefusal when it is missing, encrypted or damaged */
export async function* readEntry(zip: ZipFile, entry: Entry | undefined): AsyncGenerator<Buffer, void> {
  try {
    if (!entry) throw damaged();
    if ((entry.generalPurposeBitFlag & 1) !== 0) {
      throw new StatementRefusal('Ce fichier ZIP est protégé par un mot de passe');
    }
    let sum = 0;
    for await (const piece of bounded(await zip.openReadStreamPromise(entry), () => entry.compressedSize)) {
      sum = crc32(piece, sum);
      yield piece;
    }
    // Corrupt data can inflate without error; check the CRC.
    if (sum !== entry.crc32) throw damaged();
  } catch (error) {
    throw faultOf(error);
  }
}
