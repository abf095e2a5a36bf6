import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Subject } from '@regie/contract/entity.ts';
import { type ContractPart, fillTemplate } from '@regie/contract/licence-contract.ts';
import { sql } from 'kysely';
import { ZipFile } from 'yazl';
import { parisTime, writeAudit } from '#src/lib/audit.ts';
import { type Database, queryRows, type Trx } from '#src/lib/db.ts';
import { notFound } from '#src/lib/errors.ts';
import type { StreamAnswer } from '#src/lib/file-answer.ts';
import type { Caller } from '#src/lib/route.ts';
import { checkMayChange } from '#src/modules/people/staff/staff.service.ts';
import { exportedColumns, personalData } from './personal-data.ts';
import { conditionOf, findAccount, findAnyAdmin } from './privacy.queries.ts';

const rowsAtOnce = 500;
/** A reader that stopped must not keep a snapshot open. */
const longestMs = 30 * 60_000;

/** @throws not_found also for an erased account */
export async function exportAccount(db: Database, caller: Caller, id: number): Promise<StreamAnswer> {
  const account = await findAccount(db, id);
  if (!account || account.erasedAt) throw notFound();
  await writeAudit(db as Trx, caller, { action: 'account.export', entityId: id });
  return zipOf(db, 'account', id, `donnees-compte-${id}.zip`);
}

/** @throws not_found; forbidden (product §35.3) */
export async function exportAdmin(db: Database, caller: Caller, id: number): Promise<StreamAnswer> {
  const admin = await findAnyAdmin(db, id);
  if (!admin || admin.erasedAt) throw notFound();
  checkMayChange(caller, admin);
  await writeAudit(db as Trx, caller, { action: 'admin.export', entityId: id });
  return zipOf(db, 'admin', id, `donnees-administrateur-${id}.zip`);
}

/** One snapshot, written while it is read, so memory does not grow. */
function zipOf(db: Database, subject: Subject, id: number, fileName: string): StreamAnswer {
  return {
    content: async () => {
      const zip = new ZipFile();
      const output = zip.outputStream as Readable;
      const write = db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((trx) => fill(trx, zip, subject, id));
      write.catch((error: Error) => output.destroy(error));
      const timer = setTimeout(() => output.destroy(new Error('the export took too long')), longestMs);
      output.once('close', () => clearTimeout(timer));
      return output;
    },
    contentType: 'application/zip',
    fileName,
  };
}

async function fill(trx: Trx, zip: ZipFile, subject: Subject, id: number): Promise<void> {
  const listed: string[] = [];
  for (const [table, data] of Object.entries(personalData)) {
    const condition = conditionOf(data, subject, id);
    if (condition === undefined) continue;
    const columns = exportedColumns(data, subject);
    const selected = columns.map(({ name, expression }) => `${expression.replaceAll('$id', String(id))} AS "${name}"`);
    const query = `SELECT to_jsonb(x)::text AS text FROM (SELECT ${selected.join(', ')} FROM ${table} t WHERE ${condition} ORDER BY 1) x`;
    let count = 0;
    await add(zip, `tables/${table}.json`, async function* () {
      for await (const { text } of readAll<{ text: string }>(trx, query)) {
        yield `${count === 0 ? '[\n' : ',\n'}${text}`;
        count += 1;
      }
      yield count === 0 ? '[]\n' : '\n]\n';
    });
    listed.push(`${table}.json\u00a0: ${data.says} (${count})`);
  }
  if (subject === 'account') await addContracts(trx, zip, id);
  await add(zip, 'LISEZMOI.txt', async function* () {
    yield readMe(subject, id, listed);
  });
  zip.end();
}

/** Waits until the file is written. */
async function add(zip: ZipFile, name: string, content: () => AsyncGenerator<string>): Promise<void> {
  const stream = Readable.from(content(), { objectMode: false });
  const output = zip.outputStream as Readable;
  // A client that left must not keep the snapshot open.
  const stop = () => stream.destroy(new Error('the export was not read to its end'));
  if (output.destroyed) stop();
  output.once('close', stop);
  zip.addReadStream(stream, name);
  await finished(stream);
  output.off('close', stop);
}

/** By a cursor. */
async function* readAll<Row>(trx: Trx, query: string): AsyncGenerator<Row> {
  await sql`DECLARE personal NO SCROLL CURSOR FOR ${sql.raw(query)}`.execute(trx);
  for (;;) {
    const rows = await queryRows<Row>(trx)`FETCH ${sql.lit(rowsAtOnce)} FROM personal`;
    yield* rows;
    if (rows.length < rowsAtOnce) break;
  }
  await sql`CLOSE personal`.execute(trx);
}

const textOf = (part: ContractPart): string => {
  if (part.kind === 'block') return '';
  return part.kind === 'list' ? part.items.map((item) => `- ${item}`).join('\n') : part.text;
};

/** As it was signed. */
async function addContracts(trx: Trx, zip: ZipFile, accountId: number): Promise<void> {
  const contracts = await trx.selectFrom('customContracts').select('id').where('accountId', '=', accountId).execute();
  for (const { id } of contracts) {
    const { title, template, fieldValues } = await trx
      .selectFrom('customContracts')
      .select(['title', 'template', 'fieldValues'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await add(zip, `documents/contrat-${id}.txt`, async function* () {
      yield [title, ...fillTemplate(template, fieldValues as Record<string, string>).map(textOf)].join('\n\n');
    });
  }
}

const readMe = (subject: Subject, id: number, tables: readonly string[]) => `Données personnelles ${
  subject === 'account' ? `du compte n° ${id}` : `de l’administrateur n° ${id}`
}
Extraites le ${parisTime.format(new Date())}

Dossier «\u00a0tables\u00a0»\u00a0: un fichier JSON par table, avec le nombre de lignes.

${tables.join('\n')}

${
  subject === 'account'
    ? `Dossier «\u00a0documents\u00a0»\u00a0: le texte des contrats. Les factures sont dans orders.json, avec l’identité de l’acheteur telle qu’elle y figure.

Les pochettes et les fichiers audio, fournis par le titulaire du compte, sont listés dans files.json (nom, taille, empreinte SHA-256)\u00a0; ils peuvent être demandés séparément.`
    : 'Le journal donne toutes les actions de cette personne\u00a0; il ne donne pas ce qui concerne les clients.'
}

Ne figurent pas ici\u00a0: les mots de passe, les clés et leurs empreintes.
`;
