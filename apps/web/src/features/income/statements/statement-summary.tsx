import type { Declaration } from '@regie/contract/routes/statements.ts';
import { formatMonth } from '@regie/values/formats.ts';
import { Fragment } from 'react';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { formatExact, isZeroAmount } from './exact-amount.ts';
import { StatementLink } from './statement-labels.tsx';
import { frStatements } from './statements.fr.ts';

const t = frStatements.summary;

/** `1 JPY = 0,00817 €`, with all decimals. */
export const bankRate = (currency: string, rate: string, bankCurrency: string) =>
  t.oneIs(currency, formatExact(rate, bankCurrency));

export function StatementLinks({ statements }: { statements: Declaration['statements'] }) {
  return statements.map((statement, index) => (
    <Fragment key={statement.id}>
      {index > 0 && ', '}
      <StatementLink className={shared.textLink} {...statement} />
    </Fragment>
  ));
}

export function SummarySection({ declarations, ownId }: { declarations: readonly Declaration[]; ownId: number }) {
  return (
    <Section title={t.title} method={t.text}>
      <PlainTable
        name={t.title}
        head={[
          frStatements.column.month,
          frStatements.field.currency,
          { right: t.earned },
          { right: t.sum },
          { right: frStatements.column.difference },
          { right: t.owed },
          { right: t.proceeds },
        ]}
      >
        <tbody>
          {declarations.map((row) => (
            <DeclarationRow key={`${row.month}${row.currency}`} declaration={row} ownId={ownId} />
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}

function DeclarationRow({ declaration, ownId }: { declaration: Declaration; ownId: number }) {
  const { month, currency, earned, owed, sum, difference, isRounding, isDoubled, payments, statements } = declaration;
  const others = declaration.summaries.filter(({ id }) => id !== ownId);
  return (
    <tr>
      <td>{formatMonth(month)}</td>
      <td>{currency}</td>
      <td data-align="right">
        {formatExact(earned, currency)}
        {others.length > 0 && (
          <span className={shared.under}>
            {t.with}
            <StatementLinks statements={others} />
            {isDoubled && <>. {frStatements.checks.declared.doubled}</>}
          </span>
        )}
      </td>
      <td data-align="right">
        {formatExact(sum, currency)}
        <span className={shared.under}>
          {statements.length > 0 ? <StatementLinks statements={statements} /> : t.noStatement}
        </span>
      </td>
      <td data-align="right">
        {formatExact(difference, currency)}
        {isRounding && !isZeroAmount(difference) && <span className={shared.under}>{t.rounding}</span>}
      </td>
      <td data-align="right">{formatExact(owed, currency)}</td>
      <td data-align="right">
        {payments.map(({ rate, proceeds, currency: bank }) => (
          <div key={`${bank}${rate}`}>
            {formatExact(proceeds, bank)}
            {rate !== null && <span className={shared.under}>{bankRate(currency, rate, bank)}</span>}
          </div>
        ))}
        {payments.length === 0 && t.carried}
      </td>
    </tr>
  );
}
