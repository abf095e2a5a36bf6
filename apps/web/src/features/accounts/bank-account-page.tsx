import { CheckedBankForm } from '@regie/contract/bank-details.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Form } from '#src/ui/form.tsx';
import { BillingPage } from './billing-account.tsx';
import { BankFields, bankValues } from './billing-fields.tsx';

export default function BankAccountPage() {
  return (
    <BillingPage type="bank">
      {(billing, { onSaved, onReload }) => (
        <Form
          schema={CheckedBankForm}
          initialValues={bankValues(billing)}
          toBody={(values) => ({ ...values, updatedAt: billing.updatedAt })}
          submit={(body, options) => api(routes.editBankAccount, { params: { id: billing.id }, body, ...options })}
          onSuccess={({ data }) => onSaved(data)}
          submitLabel={fr.common.save}
          onReload={onReload}
          hasSaveBar
        >
          {(form) => <BankFields form={form} billing={billing} />}
        </Form>
      )}
    </BillingPage>
  );
}
