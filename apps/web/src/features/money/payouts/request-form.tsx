import { Button, Group, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { isAboveFee, minPayoutEur, payoutMessages } from '@regie/contract/payouts.ts';
import { PayoutRequestForm, type RequestOptions } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatBalance, formatMoney, sumAmounts } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { NothingToPay } from '#src/domain/nothing-to-pay.tsx';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { restTitle } from '#src/ui/money.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import shared from '#src/ui/shared.module.css';
import { requestOptionsQuery } from './payouts.api.ts';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts.request;

interface RequestFormProps {
  accountId: number;
  onDone: (answer: { payoutId: number; message: string }) => void;
  hasSaveBar?: boolean;
}

export function RequestForm({ accountId, ...rest }: RequestFormProps) {
  const options = useQuery({ ...requestOptionsQuery(accountId), staleTime: 0 });
  const skeleton = (
    <Stack gap="sm">
      <Skeleton h={58} />
      <Skeleton h={58} />
    </Stack>
  );
  return (
    <Loaded query={options} placeholder={skeleton}>
      {(data) => <Fields key={accountId} options={data} {...rest} />}
    </Loaded>
  );
}

interface Values extends Record<string, unknown> {
  account: string;
  amount: number | undefined;
}

interface FieldsProps extends Omit<RequestFormProps, 'accountId'> {
  options: RequestOptions;
}

function Fields({ options, onDone, hasSaveBar = false }: FieldsProps) {
  const can = useCan();
  if (options.state !== 'ENABLED') return <Notice tone="error">{messages.accountDisabled}</Notice>;
  if (options.accounts.length === 0) {
    return (
      <Notice tone="info">
        {t.noBilling}{' '}
        {can('manage_profiles') && (
          <Link className={shared.link} to={paths.billings(options.userId)}>
            {t.toBillings}
          </Link>
        )}
      </Notice>
    );
  }
  const fee = formatMoney(options.fee, 'EUR');
  const isPayable = (amount: number) => amount >= minPayoutEur && isAboveFee(amount, options.fee);
  const isPending = options.pendingCount > 0;
  if (options.obstacle !== null)
    return <Notice tone="info">{isPending ? <NothingToPay {...options} /> : options.obstacle}</Notice>;
  const initialValues: Values = { account: String(options.accounts[0]?.id ?? ''), amount: options.available };
  return (
    <Form
      schema={PayoutRequestForm}
      initialValues={initialValues}
      toBody={(values) => ({
        userId: options.userId,
        account: values.account === '' ? undefined : Number(values.account),
        amount: values.amount,
      })}
      submit={(body, { idempotencyKey }) => api(routes.requestPayout, { body, idempotencyKey })}
      onSuccess={({ data, message }) => onDone({ payoutId: data.payoutId, message })}
      submitLabel={t.title}
      hasSaveBar={hasSaveBar && 'new'}
    >
      {(form) => {
        const { amount } = form.values;
        const isNone = amount !== undefined && amount >= minPayoutEur && !isPayable(amount);
        return (
          <>
            <NativeSelect
              label={t.account}
              required
              value={form.values.account}
              onChange={(event) => form.setFieldValue('account', event.currentTarget.value)}
              error={form.errors.account}
              aria-invalid={form.errors.account ? true : undefined}
              data={options.accounts.map((account) => ({
                value: String(account.id),
                label: [
                  frPayouts.type[account.type],
                  account.destination,
                  account.owner,
                  ...(account.isRecentlyChanged ? [t.recentlyChanged] : []),
                ].join(', '),
              }))}
            />
            <NumberField
              label={t.amount}
              description={<span title={restTitle(options.income)}>{t.balance(formatBalance(options.income))}</span>}
              unit="€"
              minDecimals={2}
              required
              value={amount}
              onChange={(value) => form.setFieldValue('amount', value)}
              error={form.errors.amount ?? (isNone ? payoutMessages.amountWithinFee(fee) : undefined)}
            />
            <Group gap="4px 10px">
              <Button
                variant="default"
                size="compact-sm"
                onClick={() => form.setFieldValue('amount', options.available)}
              >
                {t.whole}
              </Button>
              {amount !== undefined && isPayable(amount) && amount <= options.available && (
                <span className={shared.under}>
                  {t.net(formatMoney(sumAmounts([amount, -options.fee]), 'EUR'), fee)}
                </span>
              )}
            </Group>
          </>
        );
      }}
    </Form>
  );
}
