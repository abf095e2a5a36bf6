import { fillLetter } from '@regie/contract/letters.ts';
import { messages } from '@regie/contract/messages.ts';
import type { LetterFailure, RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { type RawBuilder, sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import { type Database, queryColumn, queryRow, querySingle, type Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import type { JobDeps, JobPayloads } from '#src/lib/jobs.ts';
import { refusalCode, type SendMail } from '#src/lib/mail.ts';
import { adminOf, type Caller } from '#src/lib/route.ts';
import { isSameSecret, sign } from '#src/lib/secrets.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';
import * as queries from './royalty-statements.queries.ts';
import { periodOf } from './statement-page.ts';

/** How long a link opens its statement. */
const validMonths = sql.lit(6);
const minuteMs = 60_000;

const macOf = (secret: string, statementId: number, link: number) =>
  sign(secret, 'royalty-link', `${statementId}.${link}`);

/** @param link of the letter: a revoked link's successor has the next number */
export const linkTo = (
  { publicUrl, secret }: { publicUrl: string; secret: string },
  id: number,
  link: number,
): string => `${publicUrl}/releve/${id}-${link}-${macOf(secret, id, link)}`;

/**
 * The statement that a link opens. A token that we have not signed is refused without the database.
 * @returns undefined alike for guessed, expired and revoked links, and for erased accounts
 */
export async function findByToken(db: Database, secret: string, token: string) {
  const [, id = '', link = '', mac = ''] = /^([1-9]\d{0,14})-([1-9]\d{0,8})-([\w-]{43})$/.exec(token) ?? [];
  if (mac === '' || !isSameSecret(mac, macOf(secret, Number(id), Number(link)))) return undefined;
  const isLive = sql`l.link = ${Number(link)} AND l.revoked_at IS NULL AND l.expires_at > now() AND a.erased_at IS NULL`;
  return queries.findStatement(db, Number(id), isLive);
}

const renewed = sql`
  email = excluded.email, queued_by = excluded.queued_by, queued_at = now(), sent_at = NULL, failure = excluded.failure,
  reply = NULL, expires_at = excluded.expires_at, revoked_at = NULL,
  link = l.link + (l.revoked_at IS NOT NULL OR l.expires_at < now())::integer`;
const jobKey = (statementId: RawBuilder<unknown>) => sql`'royalty_letter:' || ${statementId}`;

/**
 * Queues the letters of a run's statements that have none or were not delivered, spread so that at most
 * `lettersPerMinute` are due in a minute. Accounts without address, or suspended, are listed as not delivered.
 * @throws not_found; conflict unless the run is published
 */
export async function sendRun(trx: Trx, caller: Caller, id: number, lettersPerMinute: number) {
  const run = orNotFound(await queries.findRun(trx, id), messages.unknownRun);
  if (run.publishedAt === null) throw conflict(messages.runIsUnpublished);
  const states = await queryColumn<boolean>(trx)`
    WITH letters AS (
      INSERT INTO royalty_letters AS l (statement_id, email, queued_by, failure, expires_at)
      SELECT s.id, a.email, ${adminOf(caller)},
             CASE WHEN a.email IS NULL THEN 'no_email' WHEN a.state <> 'enabled' THEN 'suspended' END,
             now() + make_interval(months => ${validMonths})
        FROM royalty_statements s JOIN accounts a ON a.id = s.account_id
       WHERE s.run_id = ${id} AND a.erased_at IS NULL
       ORDER BY s.id
          ON CONFLICT (statement_id) DO UPDATE SET ${renewed} WHERE l.failure <> 'unreachable'
      RETURNING statement_id, failure
    ), queued AS (
      SELECT enqueue_job('send_royalty_letter', json_build_object('statementId', statement_id),
                         now() + ${minuteMs / lettersPerMinute} * interval '1 ms' * (row_number() OVER (ORDER BY statement_id) - 1),
                         ${jobKey(sql`statement_id`)})
        FROM letters WHERE failure IS NULL
    )
    SELECT failure IS NULL FROM letters CROSS JOIN (SELECT count(*) FROM queued) c`;
  const queued = states.filter(Boolean).length;
  const counts = { queued, failed: states.length - queued };
  const after = { letters: queued, undelivered: counts.failed };
  if (states.length > 0) await writeAudit(trx, caller, { action: 'royalty_run.send', entityId: id, after });
  return counts;
}

/** Replaces the letter's job that has not begun. */
const enqueueLetter = (db: Database, statementId: number, runAt: Date) =>
  sql`SELECT enqueue_job('send_royalty_letter', ${JSON.stringify({ statementId })}::json, ${runAt},
                         ${jobKey(sql`${statementId}::text`)})`.execute(db);

/**
 * @param seenAt of the letter that the caller knows, null for none: it is sent again only knowingly
 * @throws not_found; conflict for an erased account or another letter; validation_failed without an address
 */
export async function sendStatement(trx: Trx, caller: Caller, id: number, seenAt: number | null): Promise<void> {
  await queries.lockLetter(trx, id);
  const statement = orNotFound(await queries.findStatement(trx, id), messages.unknownStatementOut);
  if (((statement.sentAt ?? statement.queuedAt)?.getTime() ?? null) !== seenAt) throw conflict(messages.letterHasMoved);
  if (statement.isErased) throw conflict(messages.statementIsErased);
  if (statement.accountEmail === null) throw invalid({ global: messages.noRecipient });
  // A letter that a colleague has just queued is not renewed.
  const { numAffectedRows } = await sql`
    INSERT INTO royalty_letters AS l (statement_id, email, queued_by, expires_at)
    VALUES (${id}, ${statement.accountEmail}, ${adminOf(caller)}, now() + make_interval(months => ${validMonths}))
        ON CONFLICT (statement_id) DO UPDATE SET ${renewed} WHERE ${seenAt !== null}`.execute(trx);
  if (!numAffectedRows) throw conflict(messages.letterHasMoved);
  await enqueueLetter(trx, id, new Date());
  const after = { account: statement.accountId };
  await writeAudit(trx, caller, { action: 'royalty_run.send_one', entityId: statement.runId, after });
}

/** @throws not_found; conflict without a link, once it is revoked, and while its letter is waiting */
export async function revokeLink(trx: Trx, caller: Caller, id: number): Promise<void> {
  const statement = orNotFound(await queries.findStatement(trx, id), messages.unknownStatementOut);
  if (statement.letter === 'queued') throw conflict(messages.letterHasMoved);
  const { numAffectedRows } = await sql`
    UPDATE royalty_letters SET revoked_at = now() WHERE statement_id = ${id} AND revoked_at IS NULL`.execute(trx);
  if (!numAffectedRows) throw conflict(messages.linkIsRevoked);
  const after = { account: statement.accountId };
  await writeAudit(trx, caller, { action: 'royalty_run.revoke_link', entityId: statement.runId, after });
}

interface DueLetter {
  email: string | null;
  link: number;
  queuedAt: Date;
  isOld: boolean;
  record: RoyaltyRecord;
}

/** Longer, and the letter is given up. */
const triedDays = sql.lit(3);

/**
 * Sends a letter that is still due, to the account's present address. Its row is locked while it is sent, so that two
 * jobs do not both send it. A job that is killed between the mail server's answer and the commit sends it again with the
 * same Message-ID and link, which mailboxes show once.
 * @throws temporary errors of the mail server: the job is retried
 */
export const sendRoyaltyLetterJob =
  ({
    sendMail,
    lettersPerMinute,
    publicUrl,
    sessionSecret: secret,
  }: { sendMail: SendMail; sessionSecret: string } & Pick<Deps, 'publicUrl' | 'lettersPerMinute'>) =>
  async ({ statementId }: JobPayloads['send_royalty_letter'], { db }: JobDeps): Promise<void> => {
    // After an outage, many are due at once.
    const { tried, waiting } = await querySingle<{ tried: number; waiting: number }>(db)`
      SELECT (SELECT count(*) FROM royalty_letters WHERE tried_at > now() - interval '1 minute') AS tried,
             (SELECT count(*) FROM royalty_letters WHERE sent_at IS NULL AND coalesce(failure, 'unreachable') = 'unreachable') AS waiting`;
    if (tried >= lettersPerMinute) {
      const minutes = 1 + (Math.random() * waiting) / lettersPerMinute;
      await enqueueLetter(db, statementId, new Date(Date.now() + minutes * minuteMs));
      return;
    }
    const failure = await db.transaction().execute(async (trx): Promise<unknown> => {
      // A mail server may take longer to answer.
      await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(trx);
      const letter = await queryRow<DueLetter>(trx)`
        SELECT a.email, l.link, l.queued_at, l.queued_at < now() - make_interval(days => ${triedDays}) AS is_old, s.record
          FROM royalty_letters l JOIN royalty_statements s ON s.id = l.statement_id JOIN accounts a ON a.id = s.account_id
         WHERE l.statement_id = ${statementId} AND l.sent_at IS NULL AND coalesce(l.failure, 'unreachable') = 'unreachable'
           AND a.erased_at IS NULL
           FOR UPDATE OF l`;
      if (!letter) return undefined;
      const save = (values: { sent?: true; failure?: LetterFailure; reply?: number }) =>
        sql`UPDATE royalty_letters SET email = ${letter.email}, tried_at = now(), sent_at = ${values.sent ? sql`now()` : null},
                   failure = ${values.failure ?? null}, reply = ${values.reply ?? null}
             WHERE statement_id = ${statementId}`.execute(trx);
      if (letter.email === null) return void (await save({ failure: 'no_email' }));
      const { royaltyLetter, house } = await readSettings(trx);
      const filled = fillLetter<'royaltyLetter'>(royaltyLetter, {
        maison: house.name,
        compte: letter.record.account.name,
        periode: periodOf(letter.record),
        numero: formatInteger(letter.record.number),
        lien: linkTo({ publicUrl, secret }, statementId, letter.link),
      });
      const messageId = `<releve-${statementId}-${letter.queuedAt.getTime()}@${new URL(publicUrl).hostname}>`;
      try {
        await sendMail({ to: letter.email, messageId, ...filled });
      } catch (error) {
        const reply = refusalCode(error);
        if (reply !== undefined) return void (await save({ failure: 'refused', reply }));
        await save({ failure: letter.isOld ? 'given_up' : 'unreachable' });
        return letter.isOld ? undefined : error;
      }
      await save({ sent: true });
      return undefined;
    });
    if (failure !== undefined) throw failure;
  };
