import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { ReferralForm } from '@regie/contract/routes/referrals.ts';
import { routes } from '@regie/contract/routes.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { api } from '#src/lib/api.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.referrals;

interface Values extends Record<string, unknown> {
  referred: LookupItem | null;
  percentile: number | undefined;
}

interface AddReferralModalProps {
  profile: Profile;
  isOpen: boolean;
  onClose: () => void;
}

export function AddReferralModal({ profile, isOpen, onClose }: AddReferralModalProps) {
  const initialValues: Values = { referred: null, percentile: undefined };
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.addTitle(accountName(profile))} size="md">
      <Form
        schema={ReferralForm}
        initialValues={initialValues}
        toBody={({ referred, percentile }) => ({ referrerId: profile.id, referredId: referred?.id, percentile })}
        submit={(body, options) => api(routes.addReferral, { body, ...options })}
        onClose={onClose}
        submitLabel={t.add}
        secondary={<CancelButton />}
      >
        {(form) => (
          <>
            <AccountField label={t.referred} required {...fieldProps(form, 'referred', 'referredId')} />
            <NumberField
              label={t.percentile}
              description={t.percentileHint}
              required
              unit="%"
              {...fieldProps(form, 'percentile')}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
