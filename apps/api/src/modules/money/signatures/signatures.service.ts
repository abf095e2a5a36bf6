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
  signatureSubjectNames,
} from '@regie/contract/signatures.ts';
import { fromMicros, toMicros } from '@regie/values/decimal.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { nightAlert, writeAudit } from '#src/lib/audit.ts';
import type { Database, Trx } from '#src/lib/db.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError, conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import { enqueue } from '#src/lib/jobs.ts';
import { toWireNumber } from '#src/lib/money.ts';
import { createLimiter, spend } from '#src/lib/rate-limits.ts';
import type { Caller } from '#src/lib/route.ts';
import { sign as hmac } from '#src/lib/secrets.ts';
import * as proposals from '#src/modules/money/signing/proposals.service.ts';
import * as money from '#src/modules/money/signing/signed-money.service.ts';
import * as signing from '#src/modules/money/signing/signing.service.ts';
import { maskDestination } from '#src/modules/people/accounts/billing.service.ts';
import { askPasskey, checkOwnPassword } from '#src/modules/people/staff/factors.service.ts';
import { findEntries } from '#src/modules/platform/journal/journal.service.ts';
import { keepAssertion } from './assertions.service.ts';
import { isFlagged, type JudgedPayment, judgePayments, toShown } from './payments.service.ts';
import * as queries from './signatures.queries.ts';

interface Asked {
  subject: SignatureSubject;
  id: string;
}

interface Target extends Asked, Pick<Signable, 'label' | 'by'> {
  /** Two decimals; six for an adjustment. */
  amountEur: string | null;
  at: Date;
  entryId: number | null;
  /** Nothing is left to sign. */
  end: SigningState['end'];
  reasons: SignatureReason[];
  shown: signing.Shown[];
  payments?: JudgedPayment[];
  /** Whole: the entry shows their last change only. */
  details?: queries.BillingRow[];
  proposal?: proposals.Proposal;
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
  // Proposals have those of their kind.
  proposal: { rights: [], sign: 'settings.sign' },
};
const ofTarget = ({ subject, proposal }: Target) => (proposal ? proposals.kindOf(proposal) : subjects[subject]);

const isSent = ({ facts }: JudgedPayment) => facts.moveId !== null;

/** To six decimals: a month of several imports is rounded once. */
const addUp = (amounts: readonly string[]): string =>
  fromMicros(amounts.reduce((sum, amount) => sum + toMicros(amount), 0n));

/**
 * Payments that need or lack signatures; with an id also those that may be or are signed. Their changed details are
 * signed by the same act.
 */
async function findPayments(db: Database, subject: 'batch' | 'payout' | 'payments', id?: string): Promise<Target[]> {
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
    const ofPayouts = payoutIds.flatMap((payoutId) => judged.get(payoutId) ?? []);
    const open = ofPayouts.filter((one) =>
      isSent(one)
        ? !one.facts.isSigned && isFlagged(one.facts)
        : one.reasons.length > 0 || (id !== undefined && (one.signatures.length > 0 || isFlagged(one.facts))),
    );
    const isDone = open.length === 0 && id !== undefined;
    const payments = isDone ? ofPayouts.filter(({ facts }) => facts.isSigned) : open;
    if (payments.length === 0) continue;
    const waiting = payments.filter((one) => !isSent(one)).map(({ facts }) => facts.id);
    const details = waiting.length > 0 ? await queries.listBillings(db, { payoutIds: waiting }) : [];
    const reasons = new Set(payments.flatMap((one) => one.reasons));
    if (details.length > 0) reasons.add('billing');
    targets.push({
      ...{ ...group, subject, entryId: null, payments, details, end: isDone ? 'done' : null },
      reasons: isDone || reasons.size > 0 ? [...reasons] : ['offered'],
      amountEur: addUp(payments.map(({ facts }) => facts.amountEur)),
      shown: [...payments.map(({ facts }) => toShown(facts)), ...details.map(toShownDetails)],
    });
  }
  return targets;
}

async function findImports(db: Database, subject: 'import' | 'month', id?: string): Promise<Target[]> {
  const which = id === undefined ? {} : subject === 'month' ? { month: id } : { ids: [Number(id)] };
  const rows = await queries.listImports(db, which);
  const groups = Map.groupBy(rows, (row) => (subject === 'month' ? row.month : String(row.id)));
  return [...groups].map(([group, all]) => {
    const unsigned = all.filter(({ isSigned }) => !isSigned);
    const isDone = unsigned.length === 0;
    const imports = isDone ? all : unsigned;
    return {
      ...{ subject, id: group, label: subject === 'month' ? '' : (imports[0]?.label ?? ''), entryId: null },
      amountEur: addUp(imports.map(({ eur }) => eur)),
      at: new Date(Math.max(...imports.map(({ at }) => at.getTime()))),
      by: new Set(imports.map(({ by }) => by)).size === 1 ? (imports[0]?.by ?? null) : null,
      ...{ end: isDone ? 'done' : null, reasons: isDone ? [] : ['offered'] },
      shown: imports.map((row) => ({ subject: 'import', id: row.id, version: row.version })),
    };
  });
}

const toShownDetails = ({ id, version }: queries.BillingRow): signing.Shown => ({ subject: 'billing', id, version });

const findBillings = async (db: Database, id?: string): Promise<Target[]> =>
  (await queries.listBillings(db, { id: id === undefined ? null : Number(id) })).map((row) => ({
    ...{ subject: 'billing', id: String(row.id), label: destinationOf(row), amountEur: null },
    ...{ at: row.at, by: row.by, entryId: row.entryId, details: [row], shown: [toShownDetails(row)] },
    ...{ end: row.isSigned ? 'done' : null, reasons: row.isSigned ? [] : [row.isWaiting ? 'billing' : 'offered'] },
  }));

const findProposals = async (db: Database, id?: string): Promise<Target[]> =>
  (await proposals.listProposals(db, { id: id === undefined ? null : Number(id) })).map((proposal) => ({
    ...{ subject: 'proposal', id: String(proposal.id), label: '', at: proposal.proposedAt, by: null },
    amountEur: proposals.kindOf(proposal).amountOf?.(proposal.value) ?? null,
    end: proposal.isDone === null ? null : proposal.isDone ? 'done' : 'dropped',
    ...{ entryId: proposal.entryId, reasons: [proposal.kind], shown: [proposals.proposalShown(proposal)], proposal },
  }));

function findTargets(db: Database, subject: SignatureSubject, id?: string): Promise<Target[]> {
  if (subject === 'import' || subject === 'month') return findImports(db, subject, id);
  if (subject === 'billing') return findBillings(db, id);
  return subject === 'proposal' ? findProposals(db, id) : findPayments(db, subject, id);
}

/* Reading */

const listed = ['batch', 'payout', 'proposal', 'billing', 'payments', 'month'] as const;

const has = (caller: Caller, { rights }: { rights: readonly Capability[] }) => rights.some((name) => caller.can(name));

/** One query for all signatures of each kind. */
async function describeAll(
  db: Database,
  deps: Deps,
  caller: Caller,
  targets: readonly Target[],
): Promise<SigningState[]> {
  const signatories = await signing.listSignatories(db);
  const signaturesBySubject = new Map<string, signing.Signature[]>();
  for (const [subject, shown] of bySubject(targets.flatMap((target) => target.shown))) {
    const signatures = Map.groupBy(
      await signing.readSignatures(db, shown),
      ({ subjectId }) => `${subject} ${subjectId}`,
    );
    for (const [key, of] of signatures) signaturesBySubject.set(key, of);
  }
  return targets.map((target) => toState(deps, caller, target, signatories, signaturesBySubject));
}

const bySubject = (shown: readonly signing.Shown[]) => Map.groupBy(shown, ({ subject }) => subject);

async function describe(db: Database, deps: Deps, caller: Caller, target: Target): Promise<SigningState> {
  const [state] = await describeAll(db, deps, caller, [target]);
  if (!state) throw new Error('a target has no state');
  return state;
}

/** @param given the signatures by subject and id */
function toState(
  { cookies }: Deps,
  caller: Caller,
  target: Target,
  signatories: readonly { id: number; name: string }[],
  given: ReadonlyMap<string, readonly signing.Signature[]>,
): SigningState {
  const { shown, end, proposal } = target;
  const needed = signing.countNeeded(signatories);
  const counted = end === null ? 'valid' : 'used';
  const signatures = shown.map(({ subject, id }) => given.get(`${subject} ${id}`) ?? []);
  const valid = signatures.map((of) => of.filter(({ state }) => state === counted));
  const count = end === null ? Math.min(...valid.map(signing.countSigners)) : 0;
  const signers = Map.groupBy(valid.flat(), ({ adminId }) => adminId);
  const hasSignedAll = (id: number) => signers.get(id)?.length === shown.length;
  const left = signatories.filter(({ id }) => !hasSignedAll(id) && !(proposal && proposals.isBarred(proposal, id)));
  const people = (some: readonly signing.Signature[]) =>
    [...Map.groupBy(some, ({ adminId }) => adminId)].map(([id, of]) => ({
      name: of[0]?.name ?? '',
      at: Math.max(...of.map(({ at }) => at.getTime())),
      isOwn: id === caller.adminId,
      isPart: of.every(({ state }) => state !== 'former'),
    }));
  const isWhole = ({ adminId }: signing.Signature) => end !== null || hasSignedAll(adminId);
  const open = signatures.flat().filter(({ state }) => state !== 'used');
  return {
    ...{ needed: needed ?? null, count, end, reasons: target.reasons },
    signatures: people(valid.flat().filter(isWhole)),
    former: end === null ? people(open.filter((one) => !isWhole(one))) : [],
    signers: end === null ? left.map(({ name }) => name) : [],
    canSign: end === null && count < (needed ?? 0) && left.some(({ id }) => id === caller.adminId),
    // The hash covers destinations: a secret keeps them from being guessed.
    version: hmac(cookies.secret, 'signature', signing.digestShown(shown).toString('hex')),
  };
}

async function toWire(db: Database, deps: Deps, caller: Caller, targets: readonly Target[]): Promise<Signable[]> {
  const entries = await findEntries(
    db,
    targets.flatMap(({ entryId }) => entryId ?? []),
  );
  const states = await describeAll(db, deps, caller, targets);
  return targets.flatMap(({ subject, id, label, amountEur, at, by, entryId }, index) => {
    const [signing, entry] = [states[index], entries.find((one) => one.id === entryId) ?? null];
    const amount = amountEur === null ? null : toWireNumber(amountEur);
    const fixed = {
      subject,
      id,
      label,
      amountEur: amount,
      entry,
      at: at.getTime(),
      by: by ?? entry?.admin?.name ?? null,
    };
    return signing ? [{ ...fixed, signing }] : [];
  });
}

/** What waits for signatures or may be signed, as far as the caller sees it. */
export async function listSignables(db: Database, deps: Deps, caller: Caller) {
  const signatories = await signing.listSignatories(db);
  const isOne = signatories.some(({ id }) => id === caller.adminId);
  const concerned = listed.filter((subject) => isOne || subject === 'proposal' || has(caller, subjects[subject]));
  const targets = (await Promise.all(concerned.map((subject) => findTargets(db, subject)))).flat();
  const visible = targets.filter((target) => isOne || has(caller, ofTarget(target)));
  return { signatories: signatories.length, items: await toWire(db, deps, caller, visible) };
}

/** Null for others than signatories. */
export async function countSignables(db: Database, deps: Deps, caller: Caller): Promise<number | null> {
  if (!(await signing.isSignatory(db, caller.adminId))) return null;
  return (await listSignables(db, deps, caller)).items.filter(({ signing }) => signing.canSign).length;
}

/** Signatories see everything. @throws forbidden for others without the record's rights */
async function findVisible(db: Database, caller: Caller, { subject, id }: Asked): Promise<Target | undefined> {
  const [target] = await findTargets(db, subject, id);
  if (!has(caller, target ? ofTarget(target) : subjects[subject]) && !(await signing.isSignatory(db, caller.adminId)))
    throw new AppError('forbidden');
  return target;
}

const maxShown = 200;
const maxOthers = 100;
/** Names each field: rows hold whole account numbers. */
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
  [destinationOf(row), row.swift, row.owner].filter(Boolean).join(', ');

/** PayPal addresses of one provider would look alike masked. */
const destinationOf = (row: Parameters<typeof maskDestination>[0]) =>
  row.type === 'paypal' ? (row.email ?? '') : maskDestination(row);

/** @returns null where there is nothing to sign @throws forbidden */
export async function getSignable(
  db: Database,
  deps: Deps,
  caller: Caller,
  asked: Asked,
): Promise<SignableDetail | null> {
  const target = await findVisible(db, caller, asked);
  if (!target) return null;
  const [signable] = await toWire(db, deps, caller, [target]);
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
  // Payments show the destinations of their details.
  const details = target.payments ? [] : (target.details ?? []);
  const accounts = [
    ...new Set([
      ...payments.map(({ accountId }) => accountId),
      ...[...credits, ...details].map(({ userId }) => userId),
    ]),
  ];
  const unsigned = target.end === null ? Map.groupBy(payments, ({ accountId }) => accountId) : [];
  const sums = [...unsigned].map(([id, of]) => [id, addUp(of.map(({ unsignedEur }) => unsignedEur))] as const);
  const origins =
    importIds.length > 0
      ? await money.listImportOrigins(db, importIds)
      : await money.listUnsignedOrigins(
          db,
          new Map(sums),
          payments.map(({ id }) => id),
        );
  return {
    ...signable,
    news: accounts.length > 0 ? await findEntries(db, await queries.listNews(db, accounts, maxOthers)) : [],
    payments: [
      ...details.map((row) => toLine({ ...row, amountEur: row.balanceEur, at: null, note: describeDestination(row) })),
      ...payments.flatMap(({ id, unsignedEur, isNewDestination }) => {
        const line = lines.get(id);
        const shown = { isNewDestination, unsignedEur: toWireNumber(unsignedEur) };
        return line ? toLine({ ...line, ...shown, note: destinationOf(line) }) : [];
      }),
    ],
    unsignedEur: target.payments ? toWireNumber(addUp(payments.map(({ unsignedEur }) => unsignedEur))) : null,
    origins: origins.map(toLine),
    credits: credits.slice(0, maxShown).map(toLine),
    more: Math.max(0, payments.length - maxShown) + Math.max(0, credits.length - maxShown),
  };
}

/* Signing */

async function findSignable(trx: Trx, deps: Deps, caller: Caller, asked: Asked, version: string): Promise<Target> {
  await signing.lockSignatures(trx);
  const target = orNotFound(await findVisible(trx, caller, asked));
  const state = await describe(trx, deps, caller, target);
  if (state.end !== null) throw conflict(signatureMessages.nothing);
  if (state.needed === null) throw conflict(signatureMessages.nobody);
  if (target.proposal && proposals.isBarred(target.proposal, caller.adminId))
    throw new AppError('forbidden', signatureMessages.own);
  if (state.signatures.some(({ isOwn }) => isOwn)) throw conflict(signatureMessages.signed);
  if (!state.canSign) throw new AppError('forbidden', signatureMessages.notSignatory);
  if (state.version !== version) throw conflict(signatureMessages.changed);
  return target;
}

const nonceBytes = 32;

/** Null without a passkey. @throws as `sign` */
export async function startSigning(trx: Trx, deps: Deps, caller: Caller, asked: Asked, version: string) {
  const target = await findSignable(trx, deps, caller, asked, version);
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const digest = signing.digestShown(target.shown);
  const challenge = signing.toChallenge(nonce, digest);
  const storedChallenge = `${nonce} ${digest.toString('hex')}`;
  return askPasskey(trx, deps, { adminId: caller.adminId ?? 0, challenge, kept: storedChallenge });
}

interface Proof {
  password?: string | undefined;
  token?: string | undefined;
  passkey?: PasskeyAssertion | undefined;
}

/** @throws validation_failed on `password`; forbidden for those whom only a provider knows */
async function requireProof(deps: Deps, caller: Caller, { password }: Proof): Promise<void> {
  const { session } = caller;
  if (!session) throw new AppError('unauthorized');
  if (signing.isProven(session)) return;
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
  const { subject, amountEur, payments, proposal } = target;
  const isSetting = proposal?.kind === 'setting';
  return writeAudit(trx, caller, {
    action: ofTarget(target).sign,
    entityId: subject === 'payments' || isSetting ? null : (proposal?.target ?? target.id),
    after: {
      ...(amountEur === null ? {} : { amount: amountEur }),
      ...(payments ? { count: payments.length } : {}),
      ...(isSetting ? { setting: proposal.target } : {}),
      ...(isWithdrawn ? { withdrawn: true } : {}),
    },
    alert: isWithdrawn ? undefined : nightAlert('Une signature est donnée la nuit.'),
  });
}

/** Carries out what is completely signed; payouts wait for their export or payment. @returns whether it is done */
async function complete(trx: Trx, caller: Caller, { proposal, payments, shown }: Target): Promise<boolean> {
  if (proposal) return proposals.completeProposal(trx, caller, proposal);
  const waiting = new Set(payments?.filter((one) => !isSent(one)).map(({ facts }) => facts.id));
  let open = shown.length;
  for (const [subject, all] of bySubject(shown)) {
    const some = all.filter(({ id }) => subject !== 'payout' || !waiting.has(id));
    const done = await signing.useSignatures(trx, some);
    open -= done.size;
    if (subject === 'payout') await money.signPayments(trx, [...done]);
    for (const { id, version } of some.filter((one) => done.has(one.id))) {
      if (subject === 'import') await money.coverImport(trx, id, version);
      else if (subject === 'billing') await money.coverBilling(trx, id);
    }
  }
  return open === 0;
}

/**
 * The last signature carries a proposal out or covers an import, details or a sent payment; a payout waits for its
 * export.
 * @throws not_found, forbidden, validation_failed, conflict when it changed
 */
export async function sign(trx: Trx, deps: Deps, caller: Caller, asked: Asked, given: Proof & { version: string }) {
  const target = await findSignable(trx, deps, caller, asked, given.version);
  const adminId = caller.adminId ?? 0;
  await requireProof(deps, caller, given);
  const assertionId = await keepAssertion(trx, deps, adminId, signing.digestShown(target.shown), given);
  await signing.addSignatures(trx, adminId, target.shown, assertionId);
  await journal(trx, caller, target, false);
  return complete(trx, caller, target);
}

/**
 * Posting an import signs it. Not serialised: nobody else sees the new version yet, and a posting holds sums that
 * payments lock after the signatures.
 */
export async function signPosted(trx: Trx, caller: Caller, importIds: readonly number[]): Promise<void> {
  if (caller.adminId === null || !signing.isProven(caller.session) || !(await signing.isSignatory(trx, caller.adminId)))
    return;
  for (const id of importIds) {
    for (const target of await findImports(trx, 'import', String(id))) {
      await signing.addSignatures(trx, caller.adminId, target.shown);
      await complete(trx, caller, target);
    }
  }
}

/** Withdraws the caller's signature, or ends a proposal. @throws not_found, forbidden, conflict */
export async function withdraw(trx: Trx, caller: Caller, asked: Asked): Promise<void> {
  await signing.lockSignatures(trx);
  const target = orNotFound(await findVisible(trx, caller, asked));
  if (target.end !== null) throw conflict(signatureMessages.nothing);
  if (target.proposal) {
    if (!(await proposals.mayEnd(trx, caller, target.proposal)))
      throw new AppError('forbidden', signatureMessages.notSignatory);
    await proposals.endProposal(trx, target.proposal, caller.adminId);
  } else if (!(await signing.endSignatures(trx, { shown: target.shown, adminId: caller.adminId ?? 0 }))) {
    throw conflict(signatureMessages.nothing);
  }
  await journal(trx, caller, target, true);
}

/** Mails a link to those who can still sign. @throws not_found, forbidden, conflict */
export async function ask(trx: Trx, deps: Deps, caller: Caller, { subject, id }: Asked): Promise<string[]> {
  const target = orNotFound(await findVisible(trx, caller, { subject, id }));
  const { signers } = await describe(trx, deps, caller, target);
  const asked = (await signing.listSignatories(trx)).filter(
    (one) => one.id !== caller.adminId && signers.includes(one.name),
  );
  if (asked.length === 0) throw conflict(signatureMessages.nobodyElse);
  const limiter = createLimiter(deps.db, { name: 'ask_signature', points: 3, seconds: 3600 });
  await spend(limiter, `${caller.adminId} ${subject} ${id}`);
  const name = withoutLinks(`${caller.session?.fname} ${caller.session?.lname}`);
  const amount = target.amountEur === null ? '' : formatMoney(toWireNumber(target.amountEur), 'EUR');
  const what = [signatureSubjectNames[subject], withoutLinks(target.label), amount].filter(Boolean).join(', ');
  for (const { email } of asked) {
    await enqueue(trx, 'send_mail', {
      to: email,
      subject: 'Une signature vous est demandée',
      text: `Bonjour,\n\n${name} vous demande une signature dans Régie\u00a0:\n\n${what}\n${deps.publicUrl}/signatures/${subject}/${id}\n\nVérifiez ce qui est montré avant de signer.\n`,
    });
  }
  return asked.map((one) => one.name);
}
