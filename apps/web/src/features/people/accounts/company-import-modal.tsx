import { companyColumns } from '@regie/contract/columns.ts';
import { maxCompanyRows } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { frAccounts } from './accounts.fr.ts';
import { ImportDialog } from './import-dialog.tsx';

const t = frAccounts.companyImport;
const { id, email, siren, electronicAddress, tax, vatRegime } = frAccounts.list.column;

/** Fills the empty company numbers of accounts from a completed export of the list (product §22.4). */
export const CompanyImportModal = (dialog: DialogState) => (
  <ImportDialog
    {...dialog}
    title={t.title}
    texts={t}
    example={Object.fromEntries([id, email, siren, electronicAddress, tax, vatRegime].map((name) => [name, '']))}
    names={companyColumns}
    maxRows={maxCompanyRows}
    keys={['account', 'email']}
    send={(body, options) => api(routes.importCompanies, { body, ...options })}
    verdict={({ completed, unchanged }) => ({
      summary: [t.completed(completed), t.unchanged(unchanged)].join(', '),
      nothing: completed > 0 ? undefined : t.nothing,
      canSave: completed > 0,
    })}
  />
);
