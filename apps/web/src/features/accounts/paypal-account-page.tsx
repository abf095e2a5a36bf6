import { PaypalForm } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Form } from '#src/ui/form.tsx';
import { BillingPage } from './billing-account.tsx';
import { PaypalFields, paypalValues } from './billing-fields.tsx';

export default function PaypalAccountPage() {
  return (
    <BillingPage type="paypal">
      {(billing, { onSaved, onReload }) => (
        <Form
          schema={PaypalForm}
          initialValues={paypalValues(billing)}
          toBody={(values) => ({ ...values, updatedAt: billing.updatedAt })}
          submit={(body, options) => api(routes.editPaypalAccount, { params: { id: billing.id }, body, ...options })}
          onSuccess={({ data }) => onSaved(data)}
          submitLabel={fr.common.save}
          onReload={onReload}
          hasSaveBar
        >
          {(form) => <PaypalFields form={form} />}
        </Form>
      )}
    </BillingPage>
  );
}
