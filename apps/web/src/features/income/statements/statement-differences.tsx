import { Box, Group, Radio } from '@mantine/core';
import type { Difference, StatementDetail } from '@regie/contract/routes/statements.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatMoney, formatMonth, lastShare } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { missingRatesText } from '#src/domain/inexact-sums.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { differencesQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.differences;
const nameOfCountry = (code: string) => (code === '' ? t.noCountry : countryName(code));

const sides = ['stores', 'countries', 'tracks'] as const;

export function DifferencesSection({ statement }: { statement: StatementDetail }) {
  const differences = useQuery(differencesQuery(statement.id));
  const { data } = differences;
  const [by, setBy] = useState<(typeof sides)[number]>('stores');
  if (differences.isError || !data) {
    return (
      <Section title={t.titleNone}>
        {data === null && !differences.isError ? (
          <p className={shared.under}>{t.none}</p>
        ) : (
          <Loading query={differences} placeholder={<TableSkeleton />} />
        )}
      </Section>
    );
  }
  const missing = missingRatesText([
    {
      missingRates: statement.months
        .filter(({ rate }) => rate === null)
        .map(({ currency, amount }) => ({ currency, amount: Number(amount) })),
    },
  ]);
  const rest = {
    amountEur: lastShare(
      data.amountEur,
      data[by].map(({ amountEur }) => amountEur),
    ),
    formerEur: lastShare(
      data.formerEur,
      data[by].map(({ formerEur }) => formerEur),
    ),
  };
  const isComplete = rest.amountEur === 0 && rest.formerEur === 0;
  return (
    <Section
      title={t.title(formatMonth(data.month), formatMonth(data.formerMonth))}
      method={t.text(statement.source ?? '')}
    >
      <p className={shared.under}>
        {[
          missing !== undefined && `${missing}.`,
          data.doubledEur !== 0 && t.doubled(formatMonth(data.month), formatMoney(data.doubledEur, 'EUR')),
          data.formerDoubledEur !== 0 &&
            t.doubled(formatMonth(data.formerMonth), formatMoney(data.formerDoubledEur, 'EUR')),
        ]
          .filter(Boolean)
          .join(' ')}
      </p>
      {/* Not a segmented control, which measures itself: a layout more before the page is shown. */}
      <Radio.Group
        aria-label={t.by}
        value={by}
        onChange={(value) => setBy(value === 'countries' || value === 'tracks' ? value : 'stores')}
      >
        <Group gap="md">
          {sides.map((value) => (
            <Radio key={value} value={value} label={t[value]} size="sm" />
          ))}
        </Group>
      </Radio.Group>
      <ComparisonTable
        title={t[by]}
        months={data}
        rows={data[by]}
        rest={
          isComplete ? undefined : { ...rest, label: isRounding(rest, data[by].length) ? t.rounding : t.others[by] }
        }
        name={(row) => (by === 'countries' ? nameOfCountry(row.label) : row.label)}
      />
    </Section>
  );
}

const mostRows = 10;
/** Whether it is what the rounding of each row leaves, and nothing is left out. */
const isRounding = ({ amountEur, formerEur }: Amounts, rows: number) =>
  rows < mostRows && Math.max(Math.abs(amountEur), Math.abs(formerEur)) <= 0.005 * (rows + 1);

type Amounts = Pick<Difference, 'amountEur' | 'formerEur'>;
/** Of the shown amounts, so that it can be recomputed. */
const differenceOf = ({ amountEur, formerEur }: Amounts) => lastShare(amountEur, [formerEur]);

interface ComparedProps {
  title: string;
  months: Amounts & { month: number; formerMonth: number };
  rows: readonly Difference[];
  rest: (Amounts & { label: string }) | undefined;
  name: (row: Difference) => string;
}

function ComparisonTable({ title, months, rows, rest, name }: ComparedProps) {
  const { month, formerMonth } = months;
  const cells = (row: Amounts) =>
    [row.formerEur, row.amountEur, differenceOf(row)].map((amount, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: three columns that never move
      <td key={index} data-align="right">
        <Money amount={amount} currency="EUR" />
      </td>
    ));
  const largest = Math.max(...rows.map((row) => Math.abs(differenceOf(row))), 0.01);
  return (
    <Box mt={8}>
      {rows.length === 0 ? (
        <p className={shared.under}>{t.same}</p>
      ) : (
        <PlainTable
          className={classes.differences}
          name={title}
          head={[
            title,
            { right: formatMonth(formerMonth) },
            { right: formatMonth(month) },
            { right: frStatements.column.difference },
            { hidden: t.bar },
          ]}
        >
          <tbody>
            {rows.map((row, rank) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: ranked, and two unknown tracks may be called alike
              <tr key={rank}>
                <td>{name(row)}</td>
                {cells(row)}
                <td className={classes.barCell}>
                  <span
                    className={classes.bar}
                    data-sign={differenceOf(row) < 0 ? 'less' : 'more'}
                    style={{ width: `${(Math.abs(differenceOf(row)) / largest) * 100}%` }}
                  />
                </td>
              </tr>
            ))}
            {rest && (
              <tr>
                <td>{rest.label}</td>
                {cells(rest)}
                <td />
              </tr>
            )}
          </tbody>
          <tfoot>
            <tr>
              <td>{t.total}</td>
              {cells(months)}
              <td />
            </tr>
          </tfoot>
        </PlainTable>
      )}
    </Box>
  );
}
