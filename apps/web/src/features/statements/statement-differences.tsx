import type { Difference, StatementDetail } from '@regie/contract/routes/statements.ts';
import { countryName } from '@regie/values/country-names.ts';
import { useQuery } from '@tanstack/react-query';
import { formatMonth, sumAmounts } from '#src/lib/formats.ts';
import { Money } from '#src/ui/money.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { differencesQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.differences;
const nameOfCountry = (code: string) => (code === '' ? t.noCountry : countryName(code));

/** The largest differences from the source's previous month. */
export function DifferencesSection({ statement }: { statement: StatementDetail }) {
  const found = useQuery(differencesQuery(statement.id));
  const { data } = found;
  if (found.isError) {
    return (
      <Section title={t.titleNone}>
        <ErrorState query={found} />
      </Section>
    );
  }
  if (data === undefined) {
    return (
      <Section title={t.titleNone}>
        <TableSkeleton />
      </Section>
    );
  }
  if (data === null) {
    return (
      <Section title={t.titleNone}>
        <p className={shared.under}>{t.none}</p>
      </Section>
    );
  }
  const total = {
    amountEur: data.amountEur,
    formerEur: data.formerEur,
    differenceEur: sumAmounts([data.amountEur, -data.formerEur]),
  };
  return (
    <Section title={t.title(formatMonth(data.month), formatMonth(data.formerMonth))}>
      <p className={shared.under}>{t.text(statement.source ?? '')}</p>
      <div className={classes.compared}>
        <ComparisonTable title={t.stores} rows={data.stores} total={total} name={(row) => row.label} />
        <ComparisonTable
          title={t.countries}
          rows={data.countries}
          total={total}
          name={(row) => nameOfCountry(row.label)}
        />
        <ComparisonTable title={t.tracks} rows={data.tracks} total={total} name={(row) => row.label} />
      </div>
    </Section>
  );
}

type Amounts = Pick<Difference, 'amountEur' | 'formerEur' | 'differenceEur'>;

interface ComparedProps {
  title: string;
  rows: readonly Difference[];
  total: Amounts;
  name: (row: Difference) => string;
}

function ComparisonTable({ title, rows, total, name }: ComparedProps) {
  const cells = (row: Amounts) =>
    [row.formerEur, row.amountEur, row.differenceEur].map((amount, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: three columns that never move
      <td key={index} data-align="right">
        <Money amount={amount} currency="EUR" />
      </td>
    ));
  return (
    <div>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className={shared.under}>{t.same}</p>
      ) : (
        <PlainTable name={title} head={[title, { right: t.former }, { right: t.now }, { right: t.difference }]}>
          <tbody>
            {rows.map((row, rank) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: ranked, and two unknown tracks may be called alike
              <tr key={rank}>
                <td>{name(row)}</td>
                {cells(row)}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <td>{t.total}</td>
              {cells(total)}
            </tr>
          </tfoot>
        </PlainTable>
      )}
    </div>
  );
}
