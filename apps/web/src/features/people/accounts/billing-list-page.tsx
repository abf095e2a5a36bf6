import { Box, Button, Group, SimpleGrid } from '@mantine/core';
import { CheckedBankForm } from '@regie/contract/bank-details.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { type BillingAccount, PaypalForm } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger } from '@regie/values/formats.ts';
import { IconBrandPaypal, IconBuildingBank } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { BankAnswerText } from '#src/domain/bank-answer.tsx';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api } from '#src/lib/api.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form } from '#src/ui/form.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { TabHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { EmptyState } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { useAccount } from './account-context.ts';
import { billingsQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { BankFields, BankNumber, bankValues, PaypalFields, paypalValues } from './billing-fields.tsx';
import { addressOf } from './billing-labels.ts';

const t = frAccounts.billing;

export default function BillingListPage() {
  const billings = useQuery(billingsQuery(useAccount().id));
  return <Loaded query={billings}>{(data) => <Billings billings={data} readAt={billings.dataUpdatedAt} />}</Loaded>;
}

function Billings({ billings, readAt }: { billings: readonly BillingAccount[]; readAt: number }) {
  const profile = useAccount();
  const [adding, setAdding] = useState<'bank' | 'paypal'>();
  const buttons = (
    <>
      <Button
        // With details, the page's primary action is to request a payout.
        variant={billings.length > 0 ? 'default' : 'filled'}
        leftSection={buttonIcon(IconBuildingBank)}
        onClick={() => setAdding('bank')}
      >
        {t.addBank}
      </Button>
      <Button variant="default" leftSection={buttonIcon(IconBrandPaypal)} onClick={() => setAdding('paypal')}>
        {t.addPaypal}
      </Button>
    </>
  );
  return (
    <>
      <TabHeader
        title={frScreens.accounts.billings}
        count={formatInteger(billings.length)}
        actions={billings.length > 0 && buttons}
      />
      {billings.map(
        ({ id, blockedUntil }) =>
          blockedUntil !== null && (
            <Box key={id} maw={760} mb={16}>
              <RecordSigning subject="billing" id={String(id)} />
            </Box>
          ),
      )}
      {billings.length === 0 ? (
        <EmptyState icon={IconBuildingBank} title={t.emptyTitle} text={t.emptyText} action={buttons} />
      ) : (
        <SimpleGrid component="ul" minColWidth="min(100%, 340px)" spacing={12}>
          {billings.map((billing) => (
            <BillingCard key={billing.id} billing={billing} readAt={readAt} />
          ))}
        </SimpleGrid>
      )}
      <AddModal key={adding ?? 'none'} profile={profile} type={adding} onClose={() => setAdding(undefined)} />
    </>
  );
}

function BillingCard({ billing, readAt }: { billing: BillingAccount; readAt: number }) {
  const Icon = billing.type === 'bank' ? IconBuildingBank : IconBrandPaypal;
  return (
    <li className={classes.billing}>
      <Group gap="6px 10px">
        <Icon size={18} stroke={1.7} aria-hidden />
        <Link
          className={`${classes.opener} ${shared.covering}`}
          to={addressOf(billing)}
          state={{ billingAccount: { data: billing, readAt } }}
        >
          {billing.bankName ?? t.type[billing.type]}
        </Link>
        {billing.blockedUntil !== null && <StatusBadge tone="warning">{t.recently}</StatusBadge>}
      </Group>
      <div className={shared.mono}>{billing.type === 'bank' ? <BankNumber billing={billing} /> : billing.email}</div>
      <p>{billing.owner}</p>
      {billing.bankAnswer && <BankAnswerText answer={billing.bankAnswer} />}
      <span className={shared.under}>
        {billing.updatedAt === billing.createdAt ? t.since : t.changed} <DateText ms={billing.updatedAt} />
      </span>
    </li>
  );
}

interface AddModalProps {
  profile: Profile;
  type: 'bank' | 'paypal' | undefined;
  onClose: () => void;
}

function AddModal({ profile, type, onClose }: AddModalProps) {
  const holder = {
    owner: `${profile.fname} ${profile.lname}`.trim(),
    holderAddress: profile.address ?? '',
    holderAddress2: profile.address2 ?? '',
    holderPostcode: profile.postcode ?? '',
    holderCity: profile.city ?? '',
    holderCountry: profile.country ?? '',
  };
  const params = { id: profile.id };
  const common = { onClose, secondary: <CancelButton />, hasSaveBar: 'always' as const };
  return (
    <Dialog isOpen={type !== undefined} onClose={onClose} title={type === 'paypal' ? t.addPaypal : t.addBank} size="lg">
      {type === 'bank' && (
        <Form
          {...common}
          schema={CheckedBankForm}
          initialValues={{ ...bankValues(), ...holder, bankCountry: holder.holderCountry }}
          submit={(body, options) => api(routes.createBankAccount, { params, body, ...options })}
          submitLabel={t.addBank}
        >
          {(form) => <BankFields form={form} />}
        </Form>
      )}
      {type === 'paypal' && (
        <Form
          {...common}
          schema={PaypalForm}
          initialValues={{ ...paypalValues(), ...holder }}
          submit={(body, options) => api(routes.createPaypalAccount, { params, body, ...options })}
          submitLabel={t.addPaypal}
        >
          {(form) => <PaypalFields form={form} />}
        </Form>
      )}
    </Dialog>
  );
}
