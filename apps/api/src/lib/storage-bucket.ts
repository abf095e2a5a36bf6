import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { checkKey, type Storage, StorageMissing, StorageUnavailable } from './storage.ts';

type Bucket = Record<'endpoint' | 'bucket' | 'region' | 'accessKeyId' | 'secretAccessKey', string>;

/**
 * Reads `s3://key:secret@host[:port]/bucket?region=`; key and secret are percent-encoded. `protocol=http` reaches a
 * server without TLS, on this machine or a private network.
 * @throws Error naming in French what is missing
 */
export function readBucketUrl(storageUrl: string): Bucket {
  const url = new URL(storageUrl);
  const bucket = url.pathname.slice(1).replace(/\/$/, '');
  const protocol = url.searchParams.get('protocol') ?? 'https';
  const problem =
    (url.username === '' && 'la clé') ||
    (url.password === '' && 'le secret') ||
    (url.hostname === '' && 'l’hôte') ||
    (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) && 'le seau') ||
    (!['http', 'https'].includes(protocol) && 'protocol=http ou https');
  if (problem) throw new Error(`s3://clé:secret@hôte/seau?region=, où ${problem} ne convient pas`);
  return {
    endpoint: `${protocol}://${url.host}`,
    bucket,
    region: url.searchParams.get('region') || 'us-east-1',
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}

const connectTimeoutMs = 5_000;
/** Without a byte. */
const idleTimeoutMs = 60_000;
const attempts = 3;
/** Held in memory per stored file, to be sent again. At most 10 000 parts: 80 GB. */
const partBytes = 8 * 1024 * 1024;

const isMissing = (error: unknown) =>
  error instanceof Error &&
  error.name !== 'NoSuchBucket' &&
  (error.name === 'NoSuchKey' ||
    error.name === 'NotFound' ||
    (error as Partial<S3ServiceException>).$metadata?.httpStatusCode === 404);

export function createBucketStorage(options: Bucket, variable: string): Storage {
  const { bucket: Bucket } = options;
  // The client takes a third of a second to load.
  const load = async () => {
    const [sdk, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
    const client: S3Client = new sdk.S3Client({
      endpoint: options.endpoint,
      region: options.region,
      credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
      forcePathStyle: true,
      maxAttempts: attempts,
      // Otherwise the body is sent in signed frames, which many compatible services store as they are.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The client would write to the console.
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
    });
    // Around every attempt: any failure of the service becomes StorageUnavailable.
    client.middlewareStack.add(
      (next) => async (args) => {
        try {
          return await next(args);
        } catch (error) {
          throw isMissing(error) ? error : unavailable(error);
        }
      },
      { step: 'initialize', name: 'nameFailures' },
    );
    return { sdk, client, Upload };
  };
  const unavailable = (error: unknown) =>
    new StorageUnavailable(
      `${variable}\u00a0: le stockage ${options.endpoint}, seau ${Bucket}, ne se laisse pas utiliser (${describe(error)}).`,
      { cause: error },
    );
  let loaded: ReturnType<typeof load> | undefined;
  const use = () => {
    loaded ??= load();
    return loaded;
  };

  return {
    isShared: true,
    folder: undefined,
    async put(key, source, sizeBytes) {
      checkKey(key);
      const { Upload, client } = await use();
      // One call where one part is enough; else the object exists once the last call has joined the parts. The nightly
      // job removes what cannot be aborted.
      await new Upload({
        client,
        params: { Bucket, Key: key, Body: Readable.from(exactly(source, sizeBytes), { objectMode: false }) },
        partSize: partBytes,
        queueSize: 1,
      }).done();
    },
    putFile(key, head, tail) {
      async function* whole() {
        yield* createReadStream(head.path, { end: head.sizeBytes - 1 });
        yield tail;
      }
      return this.put(key, Readable.from(whole(), { objectMode: false }), head.sizeBytes + tail.length);
    },
    async open(key, range) {
      checkKey(key);
      const { sdk, client } = await use();
      try {
        const Range = range && `bytes=${range.start}-${range.end}`;
        const { Body: body } = await client.send(new sdk.GetObjectCommand({ Bucket, Key: key, Range }));
        if (!(body instanceof Readable)) throw new Error(`no content under ${key}`);
        return body;
      } catch (error) {
        throw isMissing(error) ? new StorageMissing(key) : error;
      }
    },
    async find(key) {
      checkKey(key);
      const { sdk, client } = await use();
      try {
        const head = await client.send(new sdk.HeadObjectCommand({ Bucket, Key: key }));
        return { key, sizeBytes: head.ContentLength ?? 0, modifiedAt: head.LastModified ?? new Date() };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    async remove(key) {
      checkKey(key);
      const { sdk, client } = await use();
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key })).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
    async *list() {
      const { sdk, client } = await use();
      // Version 1 of the call: every compatible service has it, and its pages go by key.
      let marker: string | undefined;
      do {
        const page = await client.send(new sdk.ListObjectsCommand({ Bucket, Marker: marker }));
        const objects = page.Contents ?? [];
        for (const { Key: key, Size: sizeBytes = 0, LastModified: modifiedAt } of objects) {
          if (key !== undefined && modifiedAt && isKey(key)) yield { key, sizeBytes, modifiedAt };
        }
        marker = page.IsTruncated ? objects.at(-1)?.Key : undefined;
      } while (marker !== undefined);
    },
    async removePartials(before) {
      const { sdk, client } = await use();
      let removed = 0;
      let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
      while (marker) {
        const page: ListMultipartUploadsCommandOutput = await client.send(
          new sdk.ListMultipartUploadsCommand({ Bucket, ...marker }),
        );
        for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
          if (!Initiated || Initiated >= before || Key === undefined || !isKey(Key)) continue;
          await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
          removed += 1;
        }
        const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
        marker = page.IsTruncated ? { KeyMarker, UploadIdMarker } : undefined;
      }
      return removed;
    },
    async check() {
      const { sdk, client } = await use();
      const probe = `check/${process.pid}.txt`;
      await client.send(new sdk.PutObjectCommand({ Bucket, Key: probe, Body: 'Régie' }));
      await client.send(new sdk.DeleteObjectCommand({ Bucket, Key: probe }));
    },
  };
}

function isKey(key: string): boolean {
  try {
    return checkKey(key) === key;
  } catch {
    // Foreign objects are ignored.
    return false;
  }
}

const reasons: Record<string, string> = {
  InvalidAccessKeyId: 'clé inconnue',
  SignatureDoesNotMatch: 'secret faux',
  AccessDenied: 'accès refusé',
  NoSuchBucket: 'seau introuvable',
  ECONNREFUSED: 'personne ne répond à cette adresse',
  ENOTFOUND: 'hôte inconnu',
  TimeoutError: 'pas de réponse',
};

/** Never the service's own message: it may quote the key. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'raison inconnue';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return reasons[code] ?? reasons[error.name] ?? code;
}

/** @throws when the source has other than `sizeBytes` bytes, or ends early */
async function* exactly(source: Buffer | Readable, sizeBytes = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const piece of Buffer.isBuffer(source) ? [source] : (source as AsyncIterable<Buffer>)) {
    received += piece.length;
    if (received > sizeBytes) throw new Error(`more than the ${sizeBytes} bytes announced`);
    yield piece;
  }
  if (received !== sizeBytes && Number.isFinite(sizeBytes)) throw new Error(`stored ${received} bytes of ${sizeBytes}`);
}
