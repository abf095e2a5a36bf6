import { Checkbox, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { Declaration, StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { formatInteger, formatMoney, formatMonth, formatRate } from '@regie/values/formats.ts';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { toRate } from '#src/domain/to-rate.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import shared from '#src/ui/shared.module.css';
import { formatExact, isZeroAmount, unmatchedText } from './exact-amount.ts';
import { StatementLink, ToUnmatched } from './statement-labels.tsx';
import { bankRate, StatementLinks } from './statement-summary.tsx';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.checks;

type Tone = 'good' | 'bad' | 'warning' | 'info';
const icons = { good: IconCircleCheck, bad: IconCircleX, warning: IconAlertTriangle, info: IconInfoCircle };

function Check({ tone, children }: { tone: Tone; children: ReactNode }) {
  const Icon = icons[tone];
  return (
    <li className={classes.check} data-tone={tone}>
      <Icon size={18} stroke={1.8} aria-hidden />
      <div>{children}</div>
    </li>
  );
}

const otherStatement = (of: Record<'source' | 'fileName', string>, id: number | null, importId?: number | null) => (
  <StatementLink className={shared.textLink} id={id} importId={importId} fileName={`${of.source}, ${of.fileName}`} />
);

const lineLink = (id: number, line: number) => (
  <Link className={shared.textLink} to={paths.storeStatement(id)} search={{ line: String(line) }}>
    {t.seeLine(formatInteger(line))}
  </Link>
);

type Month = StatementDetail['months'][number];
const andList = new Intl.ListFormat('fr');
const futureMonths = (months: readonly Month[]) =>
  new Map(months.filter(({ isFuture }) => isFuture).map((month) => [month.month, month]));
const monthText = (ms: number | null) => (ms === null ? '' : formatMonth(ms));

export function Checks({ statement }: { statement: StatementDetail }) {
  const { months, doubled, duplicates, declarations, announced, equalTotals } = statement;
  const can = useCan();
  const missing = months.filter((month) => month.rate === null);
  const stale = months.filter((month) => month.isStale);
  const unmatched = unmatchedText(months);
  return (
    <Stack component="ul" gap={10}>
      {(statement.declaredSum !== null || [...declarations, ...announced, ...equalTotals].length === 0) && (
        <Declared statement={statement} />
      )}
      {equalTotals.map(({ declared, currency, line }) => (
        <Check key={currency} tone="good">
          {t.equalTotal(formatExact(declared, currency))} {lineLink(statement.id, line)}
        </Check>
      ))}
      {declarations.map((declaration) => (
        <DeclarationCheck key={`${declaration.month}${declaration.currency}`} declaration={declaration} />
      ))}
      {announced.map((total) => (
        <Check key={`${total.line} ${total.currency}`} tone="warning">
          {statementMessages.announced(total)}. {lineLink(statement.id, total.line)}
        </Check>
      ))}
      {missing.map((month) => (
        <Check key={`${month.month}${month.currency}`} tone="bad">
          {t.rateMissing(month.currency, formatMonth(month.month))}
        </Check>
      ))}
      {stale.map((month, index) => (
        <Check key={`${month.month}${month.currency}`} tone={month.isConfirmed ? 'info' : 'warning'}>
          {t.rateStale(month.currency, monthText(month.month), monthText(month.rateMonth), formatRate(month.rate ?? 0))}{' '}
          {month.isConfirmed && t.confirmed}
          {!month.isConfirmed && index === stale.length - 1 && can('manage_settings') && (
            <Link className={shared.textLink} {...toRate(month)}>
              {frRecords.addRate}
            </Link>
          )}
        </Check>
      ))}
      {missing.length + stale.length === 0 && <Check tone="good">{t.ratesKnown}</Check>}
      {[...futureMonths(months).values()].map((month) => (
        <Check key={month.month} tone={month.isConfirmed ? 'info' : 'warning'}>
          {t.monthFuture(monthText(month.month))} {month.isConfirmed ? t.confirmed : t.reviewMonth}
        </Check>
      ))}
      {months.some((month) => month.isTooEarly) ? (
        <Check tone="bad">{t.tooEarly}</Check>
      ) : (
        <Check tone="good">{t.monthsKnown}</Check>
      )}
      {unmatched !== undefined ? (
        <Check tone="warning">
          {t.unmatched(unmatched)}
          <ToUnmatched statement={statement} month={months.length === 1 ? (months[0]?.month ?? null) : null}>
            {t.assign}
          </ToUnmatched>
        </Check>
      ) : (
        <Check tone="good">{t.allMatched}</Check>
      )}
      {duplicates.map((duplicate) => (
        <Check key={`${duplicate.statementId} ${duplicate.importId}`} tone="warning">
          {t.duplicate(
            fr.list.rows(duplicate.lines),
            duplicate.amountEur === null ? undefined : formatMoney(duplicate.amountEur, 'EUR'),
          )}
          {otherStatement(duplicate, duplicate.statementId, duplicate.importId)}{' '}
          {t.duplicateState(
            frStatements.state[duplicate.status].toLowerCase(),
            duplicate.postedLines,
            fr.list.rows(duplicate.postedLines),
          )}{' '}
          {duplicate.firstLine !== null && lineLink(statement.id, duplicate.firstLine)}
        </Check>
      ))}
      {[...Map.groupBy(doubled, ({ statementId, month }) => `${statementId} ${month}`).values()].map((sums) => (
        <DuplicateIncome key={`${sums[0]?.statementId} ${sums[0]?.month}`} sums={sums} />
      ))}
      {duplicates.length === 0 && <Check tone="good">{t.noneDoubled}</Check>}
      {statement.mayBeCutAt !== null && (
        <Check tone="warning">
          {t.mayBeCut} {lineLink(statement.id, statement.mayBeCutAt)}
        </Check>
      )}
      {statement.preset?.isVerified === false && <Check tone="warning">{frStatements.unverifiedHint}</Check>}
    </Stack>
  );
}

const shownStores = 5;

/** Stores of a month that another statement has too, which is normal: corrections trail the sale by months. */
function DuplicateIncome({ sums }: { sums: StatementDetail['doubled'] }) {
  const [first] = sums;
  if (!first) return null;
  const names = sums.slice(0, shownStores).map(({ store }) => store);
  const hidden = sums.length - names.length;
  const stores = hidden > 0 ? [...names, t.otherStores(hidden)] : names;
  return (
    <Check tone="info">
      {t.doubled(new Intl.ListFormat('fr').format(stores), formatMonth(first.month))}
      {otherStatement(first, first.statementId)}
    </Check>
  );
}

function Declared({ statement }: { statement: StatementDetail }) {
  const { declaredCurrency: currency, declaredSum: sum, declaredDifference: difference, deduction } = statement;
  if (currency === null || sum === null || difference === null) return <Check tone="info">{t.notDeclared}</Check>;
  const isSame = isZeroAmount(difference);
  const [total, gap] = [formatExact(sum, currency), formatExact(difference, currency)];
  const fee =
    deduction && t.kept(deduction, statement.source, formatExact(statement.declaredDeduction ?? '0', currency));
  return (
    <Check tone={isSame ? 'good' : 'warning'}>
      {fee ? t.afterDeduction(total, fee, isSame ? undefined : gap) : isSame ? t.same(total) : t.differs(total, gap)}
    </Check>
  );
}

function DeclarationCheck({ declaration }: { declaration: Declaration }) {
  const { month, currency, sum, difference, earned, owed, isRounding, isDoubled, payments, summaries, statements } =
    declaration;
  const d = t.declared;
  const said = formatExact(sum, currency);
  const sentence = isZeroAmount(difference)
    ? d.same(formatMonth(month), said)
    : (isRounding ? d.rounding : d.differs)(
        formatMonth(month),
        said,
        formatExact(difference, currency),
        formatExact(earned, currency),
      );
  const paid = payments.map(({ rate, proceeds, currency: bank }) =>
    rate === null
      ? d.paid(formatExact(proceeds, bank))
      : d.paidAt(formatExact(proceeds, bank), bankRate(currency, rate, bank)),
  );
  return (
    <Check tone={isRounding && !isDoubled ? 'good' : 'warning'}>
      {[
        sentence,
        d.owed(formatExact(owed, currency)),
        ...(paid.length > 0 ? paid : [d.carried]),
        ...(isDoubled ? [d.doubled] : []),
      ].join(' ')}
      <span className={shared.under}>
        {d.source}
        <StatementLinks statements={summaries} /> · {d.added(declaration.statementCount)}
        {'\u00a0: '}
        <StatementLinks statements={statements} />
      </span>
    </Check>
  );
}

interface StatementFactsProps {
  statement: StatementDetail;
  /** Reports unsaved changes: they must be saved before the statement is marked as checked. */
  onDirtyChange: (isDirty: boolean) => void;
}

export function StatementFacts({ statement, onDirtyChange }: StatementFactsProps) {
  const [only] = new Set(statement.months.map((month) => month.currency));
  return (
    <Form
      schema={routes.editStatement.body}
      initialValues={{
        accountingMonth: statement.accountingMonth ?? undefined,
        declaredAmount: (statement.declaredAmount ?? '').replace('.', ','),
        declaredCurrency: statement.declaredCurrency ?? only ?? '',
      }}
      toBody={(values) => ({
        accountingMonth: values.accountingMonth ?? null,
        declaredAmount: values.declaredAmount.trim() === '' ? null : values.declaredAmount,
        declaredCurrency: values.declaredAmount.trim() === '' ? null : values.declaredCurrency.trim(),
      })}
      submit={(body, { idempotencyKey }) =>
        api(routes.editStatement, { params: { id: statement.id }, body, idempotencyKey })
      }
      submitLabel={fr.common.save}
      hasSaveBar
      onDirtyChange={onDirtyChange}
    >
      {(form) => (
        <SimpleGrid minColWidth="min(220px, 100%)" autoFlow="auto-fit" spacing={16}>
          <MonthField
            label={t.accountingMonth}
            description={t.accountingMonthHint}
            {...fieldProps(form, 'accountingMonth')}
          />
          <TextInput
            label={t.declaredAmount}
            description={
              statement.deduction === null
                ? t.declaredAmountHint
                : `${t.declaredAmountHint} ${t.deducted(statement.deduction, statement.source)}`
            }
            inputMode="decimal"
            {...form.getInputProps('declaredAmount')}
          />
          <TextInput
            label={t.declaredCurrency}
            maxLength={3}
            value={form.values.declaredCurrency}
            onChange={(event) => form.setFieldValue('declaredCurrency', event.currentTarget.value.toUpperCase())}
            error={form.errors.declaredCurrency}
          />
        </SimpleGrid>
      )}
    </Form>
  );
}

interface CheckModalProps extends DialogState {
  statement: StatementDetail;
  onChecked: (message: string) => void;
}

function toConfirm(months: readonly Month[]): string {
  const stale = months.filter(({ isStale }) => isStale);
  const rates = [...new Set(stale.map(({ currency, rateMonth }) => t.rateOfMonth(currency, monthText(rateMonth))))];
  const future = [...futureMonths(months).keys()].map(monthText);
  return [
    ...(rates.length > 0 ? [t.confirmRates(andList.format(rates))] : []),
    ...(future.length > 0 ? [t.confirmMonths(andList.format(future))] : []),
  ].join(' ');
}

export function CheckModal({ statement, onChecked, ...dialog }: CheckModalProps) {
  const { declaredDifference: difference } = statement;
  const isDifferent =
    (difference !== null && !isZeroAmount(difference)) ||
    statement.announced.length > 0 ||
    statement.declarations.some(({ isRounding }) => !isRounding);
  const doubtful = toConfirm(statement.months);
  const queryClient = useQueryClient();
  return (
    <Dialog {...dialog} title={t.check} size="lg">
      <Stack gap="md">
        <Text fw={600}>
          {[statement.fileName, statement.amountEur === null ? [] : formatMoney(statement.amountEur, 'EUR')]
            .flat()
            .join(' · ')}
        </Text>
        <Text c="dimmed">{t.checkText}</Text>
        <Checks statement={statement} />
        <Form
          schema={routes.checkStatement.body}
          // Read when the dialog opens: later changes were not reviewed.
          initialValues={{ version: statement.version, note: '', confirmRates: false, confirmDuplicates: false }}
          onReload={async () => {
            await queryClient.invalidateQueries();
            dialog.onClose();
          }}
          submit={(body, { idempotencyKey }) =>
            api(routes.checkStatement, { params: { id: statement.id }, body, idempotencyKey })
          }
          onSuccess={(answer) => {
            onChecked(answer.message);
            dialog.onClose();
          }}
          submitLabel={t.check}
          secondary={<CancelButton />}
        >
          {(form) => (
            <>
              {/* The server asks about duplicates that appeared after the page was loaded. */}
              {(statement.duplicates.length > 0 || form.errors.confirmDuplicates) && (
                <Checkbox
                  label={t.duplicatesConfirmed}
                  {...form.getInputProps('confirmDuplicates', { type: 'checkbox' })}
                  aria-invalid={form.errors.confirmDuplicates ? true : undefined}
                />
              )}
              {isDifferent && (
                <Textarea
                  label={t.note}
                  description={t.noteHint}
                  required
                  minRows={2}
                  maxLength={1000}
                  {...form.getInputProps('note')}
                />
              )}
              {doubtful !== '' && (
                <Checkbox label={doubtful} required {...form.getInputProps('confirmRates', { type: 'checkbox' })} />
              )}
            </>
          )}
        </Form>
      </Stack>
    </Dialog>
  );
}
