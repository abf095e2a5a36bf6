import type { AccountStatementLine } from '@regie/contract/routes/account-statement.ts';
import { movementDetail, movementLabel } from '@regie/documents/movement-labels.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounts } from './accounts.fr.ts';

export const hasReports = (line: AccountStatementLine): boolean => line.import !== null;

export const movementLink = (line: AccountStatementLine, accountId: number) => ({
  to: paths.transaction(line.id),
  search: hasReports(line) ? { compte: String(accountId) } : {},
});

export function Movement({ line, accountId }: { line: AccountStatementLine; accountId: number }) {
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
    <span title={exact === formatMoney(line.amountEur, 'EUR') ? undefined : frAccounts.statement.exact(exact)}>
      <Money amount={line.amountEur} currency="EUR" />
    </span>
  );
}
