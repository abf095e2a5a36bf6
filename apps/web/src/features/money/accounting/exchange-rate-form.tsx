import { Checkbox, TextInput } from '@mantine/core';
import { type ExchangeRate, ExchangeRateForm } from '@regie/contract/routes/accounting.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { frAccounting } from './accounting.fr.ts';

const t = frAccounting;

interface Values extends Record<string, unknown> {
  month: number | undefined;
  currency: string;
  rate: number | undefined;
  confirmFar: boolean;
}

interface ExchangeRateEditorProps {
  /** Undefined for a new rate. Month and currency identify a rate, so only its value can be edited. */
  rate: ExchangeRate | undefined;
  missing?: { currency?: string; month?: number };
  onSaved: (message: string) => void;
}

const exampleAmount = 100;

/** What a hundred units are worth, so that a misplaced decimal shows before it is saved. */
const effectOf = ({ rate, currency }: Values) =>
  rate !== undefined && rate > 0 && /^[A-Z]{3}$/.test(currency)
    ? t.rateEffect(formatMoney(exampleAmount, currency), formatMoney(exampleAmount / rate, 'EUR'))
    : undefined;

export function ExchangeRateEditor({ rate, missing, onSaved }: ExchangeRateEditorProps) {
  const initialValues: Values = {
    month: rate?.month ?? missing?.month,
    currency: rate?.currency ?? missing?.currency ?? 'USD',
    rate: rate?.rate,
    confirmFar: false,
  };
  return (
    <Form
      schema={ExchangeRateForm}
      initialValues={initialValues}
      submit={(body, { idempotencyKey }) => api(routes.putExchangeRate, { body, idempotencyKey })}
      onSuccess={(answer) => onSaved(answer.message)}
      submitLabel={fr.common.save}
    >
      {(form) => (
        <>
          <MonthField label={t.month} required disabled={rate !== undefined} {...fieldProps(form, 'month')} />
          <TextInput
            label={t.currency}
            description={t.currencyHint}
            required
            disabled={rate !== undefined}
            maxLength={3}
            value={form.values.currency}
            onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
            error={form.errors.currency}
          />
          <NumberField
            label={t.rate}
            data-autofocus={missing?.currency !== undefined && missing.month !== undefined ? true : undefined}
            description={effectOf(form.values) ?? t.rateHint}
            required
            value={form.values.rate}
            onChange={(value) => form.setValues({ rate: value, confirmFar: false })}
            error={form.errors.rate}
          />
          {(form.errors.confirmFar || form.values.confirmFar) && (
            <Checkbox
              label={t.confirmFar}
              required
              aria-invalid={Boolean(form.errors.confirmFar)}
              {...form.getInputProps('confirmFar', { type: 'checkbox' })}
            />
          )}
        </>
      )}
    </Form>
  );
}
