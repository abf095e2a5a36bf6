import { CheckedBankForm } from '@regie/contract/bank-details.ts';
import { type BillingAccount, PaypalForm } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Form } from '#src/ui/form.tsx';
import { type BillingFormProps, BillingFrame } from './billing-account.tsx';
import { BankFields, bankValues, PaypalFields, paypalValues } from './billing-fields.tsx';

export default function BillingPage() {
  return <BillingFrame EditForm={EditForm} />;
}

function EditForm({ billing, onSaved, onReload }: BillingFormProps) {
  const { id, updatedAt } = billing;
  const common = {
    toBody: <Values,>(values: Values) => ({ ...values, updatedAt }),
    onSuccess: ({ data }: { data: BillingAccount }) => onSaved(data),
    submitLabel: fr.common.save,
    hasSaveBar: true,
    onReload,
  };
  return billing.type === 'bank' ? (
    <Form
      {...common}
      schema={CheckedBankForm}
      initialValues={bankValues(billing)}
      submit={(body, options) => api(routes.editBankAccount, { params: { id }, body, ...options })}
    >
      {(form) => <BankFields form={form} billing={billing} />}
    </Form>
  ) : (
    <Form
      {...common}
      schema={PaypalForm}
      initialValues={paypalValues(billing)}
      submit={(body, options) => api(routes.editPaypalAccount, { params: { id }, body, ...options })}
    >
      {(form) => <PaypalFields form={form} />}
    </Form>
  );
}
