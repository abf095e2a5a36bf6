import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { AccountLink } from '#src/domain/account-link.tsx';
import { isNotFound } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useCan } from '#src/lib/session.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { NotFound } from '#src/ui/states.tsx';
import { requestOptionsQuery } from './payouts.api.ts';
import { frPayouts } from './payouts.fr.ts';
import { RequestForm } from './request-form.tsx';

const t = frPayouts.request;

export default function RequestPage() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const can = useCan();
  const userId = /^[1-9]\d{0,15}$/.test(String(search.userId ?? '')) ? Number(search.userId) : undefined;
  const options = useQuery({ ...requestOptionsQuery(userId ?? 0), enabled: userId !== undefined });
  if (userId === undefined) {
    return (
      <>
        <PageHeader title={t.title} />
        <Stack maw={760}>
          <AccountField
            label={t.payee}
            description={t.payeeHint}
            required
            value={null}
            onChange={(account) => {
              if (account) void navigate({ to: paths.requestPayout, search: { userId: String(account.id) } });
            }}
          />
          {can('read_unpaid_accounts') && (
            <div>
              <LinkButton to={paths.unpaidAccounts} variant="default">
                {frPayouts.list.toUnpaid}
              </LinkButton>
            </div>
          )}
        </Stack>
      </>
    );
  }
  if (isNotFound(options.error)) return <NotFound />;
  const account = options.data && `${options.data.fname} ${options.data.lname}`.trim();
  return (
    <>
      <PageHeader
        title={t.title}
        owner={account === undefined ? undefined : { id: userId, name: account }}
        text={account && <AccountLink id={userId}>{t.of(account)}</AccountLink>}
      />
      <Stack maw={760}>
        <RequestForm
          accountId={userId}
          hasSaveBar
          onDone={({ payoutId, message }) => {
            flashSuccess(message, { afterNavigation: true });
            void navigate({ to: paths.payout(payoutId) });
          }}
        />
      </Stack>
    </>
  );
}
