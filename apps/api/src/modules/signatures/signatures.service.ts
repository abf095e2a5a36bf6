import { randomBytes } from 'node:crypto';
import type { AuditAction } from '@regie/contract/audit.ts';
import type { Capability } from '@regie/contract/capabilities.ts';
import { withoutLinks } from '@regie/contract/letters.ts';
import type { Signable, SignableDetail, SignableLine } from '@regie/contract/routes/signatures.ts';
import { factorMessages, type PasskeyAssertion } from '@regie/contract/second-factors.ts';
import {
  type SignatureReason,
  type SignatureSubject,
  type SigningState,
  signatureMessages,
} from '@regie/contract/signatures.ts';
import { toCents, toDecimal } from '@regie/values/decimal.ts';
import { nightAlert, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, notFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { createLimiter, spend } from '#src/lib/rate-limits.ts';
import type { Caller } from '#src/lib/route.ts';
import { maskDestination } from '#src/modules/accounts/billing.service.ts';
import { askPasskey, checkOwnPassword } from '#src/modules/auth/factors.service.ts';
import { findEntries } from '#src/modules/journal/journal.service.ts';
import { keepAssertion } from './assertions.service.ts';
import { isFlagged, type JudgedPayment, judgePayments, toShown } from './payments.service.ts';
import {
  completeProposal,
  endProposal,
  isBarred,
  kindOf,
  listProposals,
  mayEnd,
  type Proposal,
  proposalShown,
} from './proposals.service.ts';
import * as queries from './signatures.queries.ts';
import * as money from './signed-money.service.ts';
import {
  addSignatures,
  countNeeded,
  digestShown,
  endSignatures,
  findSignatures,
  isProven,
  isSignatory,
  listSignatories,
  lockSignatures,
  type Shown,
  type Signature,
  toChallenge,
  useSignatures,
} from './signing.service.ts';

type Db = Database | Trx;
/** What one asks to sign, by its address. */
interface Asked {
  subject: SignatureSubject;
  id: string;
}

/** Something to sign, as it is now. */
interface Target extends Asked, Pick<Signable, 'label' | 'by'> {
  amountCents: bigint | null;
  at: Date;
  /** The journal's entry that shows it. */
  entryId: number | null;
  reasons: SignatureReason[];
  shown: Shown[];
  payments?: JudgedPayment[];
  /** Changed details, whole: the entry shows their last change only. */
  details?: queries.BillingRow[];
  proposal?: Proposal;
}

/* What there is to sign */

const paymentRights = ['read_pending_payout', 'edit_pending_payout', 'read_paid_payout', 'edit_paid_payout'] as const;
const importRights = ['read_reports', 'edit_reports'] as const;
const subjects: Record<SignatureSubject, { rights: readonly Capability[]; sign: AuditAction }> = {
  payout: { rights: paymentRights, sign: 'payout.sign' },
  batch: { rights: paymentRights, sign: 'payout_batch.sign' },
  payments: { rights: paymentRights, sign: 'payout.sign' },
  import: { rights: importRights, sign: 'import.sign' },
  month: { rights: importRights, sign: 'month.sign' },
  billing: { rights: ['manage_profiles'], sign: 'billing.sign' },
  // Of proposals, those of their kind count.
  proposal: { rights: [], sign: 'settings.sign' },
};
const ofTarget = ({ subject, proposal }: Target) => (proposal ? kindOf(proposal) : subjects[subject]);

const isSent = ({ facts }: JudgedPayment) => facts.moveId !== null;

/** Payments that need signatures, or lack them afterwards; a single one also when it has them all. */
async function findPayments(db: Db, subject: 'batch' | 'payout' | 'payments', id?: string): Promise<Target[]> {
  const groups = await queries.listPaymentGroups(db, subject, id);
  const isOneAct = subject === 'batch';
  const all = isOneAct
    ? undefined
    : await judgePayments(
        db,
        groups.flatMap(({ payoutIds }) => payoutIds),
        false,
      );
  const targets: Target[] = [];
  for (const { payoutIds, ...group } of groups) {
    const judged = all ?? (await judgePayments(db, payoutIds, true));
    const payments = payoutIds
      .flatMap((payoutId) => judged.get(payoutId) ?? [])
      .filter((one) =>
        isSent(one)
          ? !one.facts.isSigned && isFlagged(one.facts)
          : one.reasons.length > 0 || (id !== undefined && one.signatures.length > 0),
      );
    if (payments.length === 0) continue;
    const reasons = new Set(payments.flatMap((one): SignatureReason[] => (isSent(one) ? ['offered'] : one.reasons)));
    targets.push({
      ...{ ...group, subject, entryId: null, reasons: [...reasons], payments },
      amountCents: payments.reduce((sum, { facts }) => sum + toCents(facts.amountEur), 0n),
      shown: payments.map(({ facts }) => toShown(facts)),
    });
  }
  return targets;
}

async function findImports(db: Db, subject: 'import' | 'month', id?: string): Promise<Target[]> {
  const which = id === undefined ? {} : subject === 'month' ? { month: id } : { ids: [Number(id)] };
  const rows = await queries.listUnsignedImports(db, which);
  const groups = Map.groupBy(rows, (row) => (subject === 'month' ? row.month : String(row.id)));
  return [...groups].map(([group, imports]) => ({
    ...{ subject, id: group, label: subject === 'month' ? '' : (imports[0]?.label ?? ''), entryId: null },
    amountCents: imports.reduce((sum, { eur }) => sum + toCents(eur), 0n),
    at: new Date(Math.max(...imports.map(({ at }) => at.getTime()))),
    by: new Set(imports.map(({ by }) => by)).size === 1 ? (imports[0]?.by ?? null) : null,
    reasons: ['offered'],
    shown: imports.map((row) => ({ subject: 'import', id: row.id, version: row.version })),
  }));
}

const findBillings = async (db: Db, id?: string): Promise<Target[]> =>
  (await queries.listBillings(db, id === undefined ? undefined : Number(id))).map((row) => ({
    ...{ subject: 'billing', id: String(row.id), label: `${row.label}, ${maskDestination(row)}`, amountCents: null },
    ...{ at: row.at, by: row.by, entryId: row.entryId, reasons: ['billing'], details: [row] },
    shown: [{ subject: 'billing', id: row.id, version: row.version }],
  }));

const findProposals = async (db: Db, id?: string): Promise<Target[]> =>
  (await listProposals(db, { id: id === undefined ? null : Number(id) })).map((proposal) => ({
    ...{ subject: 'proposal', id: String(proposal.id), label: '', amountCents: null, at: proposal.proposedAt },
    ...{ by: null, entryId: proposal.entryId, reasons: [proposal.kind], shown: [proposalShown(proposal)], proposal },
  }));

function findTargets(db: Db, subject: SignatureSubject, id?: string): Promise<Target[]> {
  if (subject === 'import' || subject === 'month') return findImports(db, subject, id);
  if (subject === 'billing') return findBillings(db, id);
  return subject === 'proposal' ? findProposals(db, id) : findPayments(db, subject, id);
}

/* Reading */

const listed = ['batch', 'payout', 'proposal', 'billing', 'payments', 'month'] as const;

const has = (caller: Caller, { rights }: { rights: readonly Capability[] }) => rights.some((name) => caller.can(name));

/** The signing states of targets, with one query for all signatures of each kind. */
async function describeAll(db: Db, caller: Caller, targets: readonly Target[]): Promise<SigningState[]> {
  const signatories = await listSignatories(db);
  const given = new Map<string, Signature[]>();
  const kinds = Map.groupBy(
    targets.flatMap(({ shown }) => shown),
    ({ subject }) => subject,
  );
  for (const [subject, shown] of kinds) {
    for (const [id, signatures] of await findSignatures(db, shown)) given.set(`${subject} ${id}`, signatures);
  }
  return targets.map((target) =>
    toState(
      caller,
      target,
      signatories,
      target.shown.flatMap(({ subject, id }) => given.get(`${subject} ${id}`) ?? []),
    ),
  );
}

async function describe(db: Db, caller: Caller, target: Target): Promise<SigningState> {
  const [state] = await describeAll(db, caller, [target]);
  if (!state) throw new Error('a target has no state');
  return state;
}

function toState(
  caller: Caller,
  target: Target,
  signatories: readonly { id: number; name: string }[],
  found: readonly Signature[],
): SigningState {
  const needed = countNeeded(signatories);
  const given = Map.groupBy(found, ({ adminId }) => adminId);
  const whole = [...given].filter(([, { length }]) => length === target.shown.length);
  const left = signatories.filter(
    ({ id }) => !whole.some(([signer]) => signer === id) && !(target.proposal && isBarred(target.proposal, id)),
  );
  return {
    needed: needed ?? null,
    reasons: target.reasons,
    signatures: whole.map(([id, signatures]) => ({
      name: signatures[0]?.name ?? '',
      at: Math.max(...signatures.map(({ at }) => at.getTime())),
      isOwn: id === caller.adminId,
    })),
    signers: left.map(({ name }) => name),
    canSign: whole.length < (needed ?? 0) && left.some(({ id }) => id === caller.adminId),
    version: digestShown(target.shown).toString('hex'),
  };
}

async function toWire(db: Db, caller: Caller, targets: readonly Target[]): Promise<Signable[]> {
  const entries = await findEntries(
    db,
    targets.flatMap(({ entryId }) => entryId ?? []),
  );
  const states = await describeAll(db, caller, targets);
  return targets.flatMap(({ subject, id, label, amountCents, at, by, entryId }, index) => {
    const [signing, entry] = [states[index], entries.find((one) => one.id === entryId) ?? null];
    const amountEur = amountCents === null ? null : toWireNumber(toDecimal(amountCents));
    const fixed = { subject, id, label, amountEur, entry, at: at.getTime(), by: by ?? entry?.admin?.name ?? null };
    return signing ? [{ ...fixed, signing }] : [];
  });
}

/** What waits for signatures and what may be signed, as far as the caller sees the records. */
export async function listSignables(db: Db, caller: Caller) {
  const signatories = await listSignatories(db);
  const isOne = signatories.some(({ id }) => id === caller.adminId);
  const concerned = listed.filter((subject) => isOne || subject === 'proposal' || has(caller, subjects[subject]));
  const targets = (await Promise.all(concerned.map((subject) => findTargets(db, subject)))).flat();
  const visible = targets.filter((target) => isOne || has(caller, ofTarget(target)));
  return { signatories: signatories.length, items: await toWire(db, caller, visible) };
}

/** How many records the caller can sign now; null for others than signatories. */
export async function countSignables(db: Db, caller: Caller): Promise<number | null> {
  if (!(await isSignatory(db, caller.adminId))) return null;
  return (await listSignables(db, caller)).items.filter(({ signing }) => signing.canSign).length;
}

/** Signatories see everything that is signed. @throws AppError forbidden for others without the record's rights */
async function findVisible(db: Db, caller: Caller, { subject, id }: Asked): Promise<Target | undefined> {
  const [target] = await findTargets(db, subject, id);
  if (!has(caller, target ? ofTarget(target) : subjects[subject]) && !(await isSignatory(db, caller.adminId)))
    throw new AppError('forbidden');
  return target;
}

const maxShown = 200;
const maxOthers = 100;
/** Names each field: rows also hold whole account numbers. */
const toLine = ({
  label,
  userId,
  amountEur,
  at,
  unsignedEur = null,
  note = '',
  isNewDestination = false,
}: queries.Line & Partial<Omit<SignableLine, keyof queries.Line>>): SignableLine => ({
  ...{ label, userId, unsignedEur, note, isNewDestination },
  amountEur: toWireNumber(amountEur),
  at: at?.getTime() ?? null,
});

const describeDestination = (row: queries.BillingRow) =>
  [maskDestination(row), row.swift, row.owner].filter(Boolean).join(', ');

/** @returns null where there is nothing to sign @throws AppError forbidden, as `findVisible` */
export async function getSignable(db: Db, caller: Caller, asked: Asked): Promise<SignableDetail | null> {
  const target = await findVisible(db, caller, asked);
  if (!target) return null;
  const [signable] = await toWire(db, caller, [target]);
  if (!signable) return null;
  const payments = (target.payments ?? [])
    .map(({ facts }) => facts)
    .toSorted((one, other) => Number(other.unsignedEur) - Number(one.unsignedEur));
  const importIds = target.shown.filter(({ subject }) => subject === 'import').map(({ id }) => id);
  const credits = importIds.length > 0 ? await queries.listCredits(db, importIds) : [];
  const lines = await queries.listPayoutLines(
    db,
    payments.slice(0, maxShown).map(({ id }) => id),
  );
  const { details } = target;
  const accounts = [
    ...new Set([
      ...payments.map(({ accountId }) => accountId),
      ...[...credits, ...(details ?? [])].map(({ userId }) => userId),
    ]),
  ];
  const unsigned = Map.groupBy(payments, ({ accountId }) => accountId);
  const sums = [...unsigned].map(
    ([id, of]) => [id, toDecimal(of.reduce((sum, one) => sum + toCents(one.unsignedEur), 0n))] as const,
  );
  const origins =
    importIds.length > 0
      ? await money.listImportOrigins(db, importIds)
      : await money.listUnsignedOrigins(db, new Map(sums));
  return {
    ...signable,
    news: accounts.length > 0 ? await findEntries(db, await queries.listNews(db, accounts, maxOthers)) : [],
    payments: [
      ...(details ?? []).map((row) =>
        toLine({ ...row, amountEur: row.balanceEur, at: null, note: describeDestination(row) }),
      ),
      ...payments.flatMap(({ id, unsignedEur, isNewDestination }) => {
        const line = lines.get(id);
        const shown = { isNewDestination, unsignedEur: toWireNumber(unsignedEur) };
        return line ? toLine({ ...line, ...shown, note: maskDestination(line) }) : [];
      }),
    ],
    origins: origins.map(toLine),
    credits: credits.slice(0, maxShown).map(toLine),
    more: Math.max(0, payments.length - maxShown) + Math.max(0, credits.length - maxShown),
  };
}

/* Signing */

async function findSignable(trx: Trx, caller: Caller, asked: Asked, version: string): Promise<Target> {
  await lockSignatures(trx);
  const target = await findVisible(trx, caller, asked);
  if (!target) throw notFound();
  const state = await describe(trx, caller, target);
  if (state.needed === null) throw conflict(signatureMessages.nobody);
  if (target.proposal && isBarred(target.proposal, caller.adminId))
    throw new AppError('forbidden', signatureMessages.own);
  if (state.signatures.some(({ isOwn }) => isOwn)) throw conflict(signatureMessages.signed);
  if (!state.canSign) throw new AppError('forbidden', signatureMessages.notSignatory);
  if (state.version !== version) throw conflict(signatureMessages.changed);
  return target;
}

const nonceBytes = 32;

/** The challenge that the caller's passkey signs; null without a passkey. @throws AppError */
export async function startSigning(trx: Trx, deps: Deps, caller: Caller, asked: Asked, version: string) {
  const target = await findSignable(trx, caller, asked, version);
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const digest = digestShown(target.shown);
  const challenge = toChallenge(nonce, digest);
  const kept = `${nonce} ${digest.toString('hex')}`;
  return askPasskey(trx, deps, { adminId: caller.adminId ?? 0, challenge, kept });
}

interface Proof {
  password?: string | undefined;
  token?: string | undefined;
  passkey?: PasskeyAssertion | undefined;
}

/** @throws AppError validation_failed on `password`; forbidden for those whom only a provider knows */
async function requireProof(deps: Deps, caller: Caller, { password }: Proof): Promise<void> {
  const { session } = caller;
  if (!session) throw new AppError('unauthorized');
  if (isProven(session)) return;
  const { stepUp } = factorMessages;
  if (session.hasFactor) throw new AppError('forbidden', stepUp, { errors: { stepUp } });
  const { proofFactor: secondFactor, proof } = signatureMessages;
  if (session.provider || session.factorPolicy !== 'optional') {
    throw new AppError('forbidden', secondFactor, { errors: { secondFactor } });
  }
  if (password === undefined) throw invalid({ password: proof });
  await checkOwnPassword(deps, caller, password, 'password');
}

function journal(trx: Trx, caller: Caller, target: Target, isWithdrawn: boolean): Promise<void> {
  const { subject, amountCents, payments, proposal } = target;
  const isSetting = proposal?.kind === 'setting';
  return writeAudit(trx, caller, {
    action: ofTarget(target).sign,
    entityId: subject === 'payments' || isSetting ? null : (proposal?.target ?? target.id),
    after: {
      ...(amountCents === null ? {} : { amount: toDecimal(amountCents) }),
      ...(payments ? { count: payments.length } : {}),
      ...(isSetting ? { setting: proposal.target } : {}),
      ...(isWithdrawn ? { withdrawn: true } : {}),
    },
    alert: isWithdrawn ? undefined : nightAlert('Une signature est donnée la nuit.'),
  });
}

/**
 * Does what complete signatures are for; those of payouts that are not sent wait for the export or payment.
 * @returns whether it is done
 */
async function complete(trx: Trx, caller: Caller, { proposal, payments, shown }: Target): Promise<boolean> {
  if (proposal) return completeProposal(trx, caller, proposal);
  const waiting = new Set(payments?.filter((one) => !isSent(one)).map(({ facts }) => facts.id));
  const now = shown.filter(({ id }) => !waiting.has(id));
  const done = await useSignatures(trx, now);
  if (payments) await money.signPayments(trx, [...done]);
  else {
    for (const { subject, id, version } of now.filter((one) => done.has(one.id))) {
      if (subject === 'import') await money.coverImport(trx, id, version);
      else await money.coverBilling(trx, id);
    }
  }
  return done.size === shown.length;
}

/**
 * Signs what was shown. The last signature that is needed carries a proposal out, and covers an import, details or a
 * payment that was made; those of a payout wait for its export or payment.
 * @throws AppError not_found, forbidden, validation_failed, conflict when it changed since it was shown
 */
export async function sign(trx: Trx, deps: Deps, caller: Caller, asked: Asked, given: Proof & { version: string }) {
  const target = await findSignable(trx, caller, asked, given.version);
  const adminId = caller.adminId ?? 0;
  await requireProof(deps, caller, given);
  const assertionId = await keepAssertion(trx, deps, adminId, digestShown(target.shown), given);
  await addSignatures(trx, adminId, target.shown, assertionId);
  await journal(trx, caller, target, false);
  return complete(trx, caller, target);
}

/**
 * Signs imports by posting them; in a set of one that is all they need.
 * @param importIds posted in this transaction
 */
export async function signPosted(trx: Trx, caller: Caller, importIds: readonly number[]): Promise<void> {
  if (caller.adminId === null || !isProven(caller.session) || !(await isSignatory(trx, caller.adminId))) return;
  await lockSignatures(trx);
  for (const id of importIds) {
    for (const target of await findImports(trx, 'import', String(id))) {
      await addSignatures(trx, caller.adminId, target.shown);
      await complete(trx, caller, target);
    }
  }
}

/** Withdraws the caller's signature, or the proposal itself. @throws AppError not_found, forbidden, conflict */
export async function withdraw(trx: Trx, caller: Caller, asked: Asked): Promise<void> {
  await lockSignatures(trx);
  const target = await findVisible(trx, caller, asked);
  if (!target) throw notFound();
  const [first] = target.shown;
  const ids = target.shown.map(({ id }) => id);
  if (target.proposal) {
    if (!(await mayEnd(trx, caller, target.proposal))) throw new AppError('forbidden', signatureMessages.notSignatory);
    await endProposal(trx, target.proposal, caller.adminId);
  } else if (!first || !(await endSignatures(trx, { subject: first.subject, ids, adminId: caller.adminId ?? 0 }))) {
    throw conflict(signatureMessages.nothing);
  }
  await journal(trx, caller, target, true);
}

/** Mails a link to the signatories who can still sign. @throws AppError not_found, forbidden, conflict */
export async function ask(trx: Trx, deps: Deps, caller: Caller, { subject, id }: Asked): Promise<string[]> {
  const target = await findVisible(trx, caller, { subject, id });
  if (!target) throw notFound();
  const { signers } = await describe(trx, caller, target);
  const asked = (await listSignatories(trx)).filter((one) => one.id !== caller.adminId && signers.includes(one.name));
  if (asked.length === 0) throw conflict(signatureMessages.nobodyElse);
  const limiter = createLimiter(deps.db, { name: 'ask_signature', points: 3, seconds: 3600 });
  await spend(limiter, `${caller.adminId} ${subject} ${id}`);
  const name = withoutLinks(`${caller.session?.fname} ${caller.session?.lname}`);
  for (const { email } of asked) {
    await enqueue(trx, 'send_mail', {
      to: email,
      subject: 'Une signature vous est demandée',
      text: `Bonjour,\n\n${name} vous demande une signature dans Régie\u00a0:\n\n${deps.publicUrl}/signatures/${subject}/${id}\n\nVérifiez ce qui est montré avant de signer.\n`,
    });
  }
  return asked.map((one) => one.name);
}
