import type { AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import { movementDetail, movementLabel } from '@regie/documents/movement-labels.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.statement;

const hasReports = (line: AccountStatementLine): boolean => line.import !== null;

export const movementLink = (line: AccountStatementLine, accountId: number) => ({
  to: paths.transaction(line.id),
  search: hasReports(line) ? { compte: String(accountId) } : {},
});

interface MovementProps {
  line: AccountStatementLine;
  accountId: number;
}

/** The way to what explains the amount of a movement. */
export function WhyAmount({ line, accountId }: MovementProps) {
  if (!hasReports(line)) return null;
  return (
    <Link
      className={`${shared.link} ${classes.why}`}
      {...movementLink(line, accountId)}
      aria-label={t.whyOf(movementLabel(line))}
    >
      {t.why}
    </Link>
  );
}

export function Movement({ line, accountId }: MovementProps) {
  const detail = movementDetail(line);
  return (
    <>
      <Link className={shared.link} {...movementLink(line, accountId)}>
        {movementLabel(line)}
      </Link>
      {detail && <span className={shared.under}>{detail}</span>}
    </>
  );
}

export function MovementAmount({ line }: { line: AccountStatementLine }) {
  const exact = formatMoney(line.amountEur, 'EUR', 6);
  return (
    <span title={exact === formatMoney(line.amountEur, 'EUR') ? undefined : t.exact(exact)}>
      <Money amount={line.amountEur} currency="EUR" />
    </span>
  );
}
