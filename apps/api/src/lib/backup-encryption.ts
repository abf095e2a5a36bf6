import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter } from 'age-encryption';
import type { BackupSettings } from '#src/env.ts';

/** The backup cannot be written or is not a whole one; the message is for the operator. */
export class BackupFileError extends Error {
  override name = 'BackupFileError';
}

export interface BackupKeys {
  passphrase: string | undefined;
  recipients: readonly string[];
  identities: readonly string[];
}

export const ageMagic = Buffer.from('age-encryption.org/v1\n');
const minPassphraseLength = 20;
/** 64 MB and a quarter of a second. The default of 18 takes 256 MB; a passphrase of this length needs no more. */
const scryptWorkFactor = 16;

/** @throws BackupFileError naming the variable whose file cannot be used */
export async function readBackupKeys(settings: BackupSettings): Promise<BackupKeys> {
  const read = async (variable: string, file: string) => {
    try {
      return (await readFile(file, 'utf8')).trim();
    } catch {
      throw new BackupFileError(
        `${variable}\u00A0: le fichier ${file} ne peut pas être lu. Vérifiez son chemin et le droit de lecture du compte qui lance Régie.`,
      );
    }
  };
  const { passphraseFile, identityFile, recipients } = settings;
  const passphrase = passphraseFile && (await read('BACKUP_PASSPHRASE_FILE', passphraseFile));
  if (passphrase !== undefined && passphrase.length < minPassphraseLength) {
    throw new BackupFileError(
      `BACKUP_PASSPHRASE_FILE\u00A0: la phrase secrète doit avoir au moins ${minPassphraseLength} caractères.`,
    );
  }
  const identities = identityFile
    ? (await read('BACKUP_IDENTITY_FILE', identityFile))
        .split(/\s+/)
        .filter((word) => word.startsWith('AGE-SECRET-KEY-'))
    : [];
  if (identityFile && identities.length === 0)
    throw new BackupFileError(
      `BACKUP_IDENTITY_FILE\u00A0: le fichier ${identityFile} n'a pas de clé AGE-SECRET-KEY-….`,
    );
  return { passphrase, recipients, identities };
}

export const isEncrypting = ({ passphraseFile, recipients }: BackupSettings): boolean =>
  passphraseFile !== undefined || recipients.length > 0;

export const canEncrypt = ({ passphrase, recipients }: BackupKeys): boolean =>
  passphrase !== undefined || recipients.length > 0;

/** Encrypts in the format of age, which the `age` command reads. @throws BackupFileError for an invalid recipient */
export async function encryptBackup(plain: Readable, keys: BackupKeys): Promise<Readable> {
  const encrypter = new Encrypter();
  if (keys.passphrase === undefined) {
    for (const recipient of keys.recipients) {
      try {
        encrypter.addRecipient(recipient);
      } catch {
        throw new BackupFileError(`BACKUP_RECIPIENTS\u00A0: ${recipient} n'est pas une clé publique age valide.`);
      }
    }
  } else {
    encrypter.setScryptWorkFactor(scryptWorkFactor);
    encrypter.setPassphrase(keys.passphrase);
  }
  return fromWeb(await encrypter.encrypt(toWeb(plain)));
}

/** @throws BackupFileError when no key opens the file, or `damaged` while reading when its content was altered */
export async function* decryptBackup(
  content: AsyncIterable<Buffer>,
  options: { name: string; keys: BackupKeys; damaged: () => BackupFileError },
): AsyncGenerator<Buffer> {
  const { passphrase, identities } = options.keys;
  if (passphrase === undefined && identities.length === 0) {
    throw new BackupFileError(
      `La sauvegarde ${options.name} est chiffrée\u00A0: indiquez BACKUP_PASSPHRASE_FILE ou BACKUP_IDENTITY_FILE.`,
    );
  }
  try {
    const decrypter = new Decrypter();
    if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
    for (const identity of identities) decrypter.addIdentity(identity);
    yield* fromWeb(
      await decrypter.decrypt(toWeb(Readable.from(content, { objectMode: false, highWaterMark: 256 * 1024 }))),
    );
  } catch (error) {
    // The library's errors have no code, those of files and services have.
    if (!(error instanceof Error) || error instanceof BackupFileError || 'code' in error) throw error;
    if (error.message.startsWith('no identity matched')) {
      throw new BackupFileError(
        `La phrase secrète ou la clé n'ouvre pas la sauvegarde ${options.name}\u00A0: vérifiez BACKUP_PASSPHRASE_FILE ou BACKUP_IDENTITY_FILE. Rien n'a été modifié.`,
      );
    }
    throw error.name === 'StorageUnavailable' ? error : options.damaged();
  }
}

// The same streams with two types, Node's and the browser's.
const toWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as globalThis.ReadableStream<Uint8Array>;
const fromWeb = (stream: globalThis.ReadableStream<Uint8Array>) =>
  Readable.fromWeb(stream as unknown as ReadableStream);
