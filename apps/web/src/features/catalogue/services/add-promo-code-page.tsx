import { Stack, Textarea, TextInput } from '@mantine/core';
import { PromoCodeForm } from '@regie/contract/routes/promo-codes.ts';
import { findDay, formatDay } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { api } from '#src/lib/api.ts';
import { dayToMs } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { frServices } from './services.fr.ts';

const t = frServices.promo.form;

function isPast(text: string): boolean {
  const day = findDay(text);
  const endMs = day === undefined ? undefined : dayToMs(day)?.endMs;
  return endMs !== undefined && endMs < Date.now();
}

/** A new promo code; after saving, the button is disabled until another one is typed (product §22.9). */
export default function AddPromoCodePage() {
  const can = useCan();
  return (
    <>
      <PageHeader title={frScreens.services.addPromoCode} />
      <Stack gap={16} maw={760}>
        <Form
          schema={PromoCodeForm}
          initialValues={{ name: '', amount: undefined as number | undefined, dueDate: '', description: '' }}
          submit={(body, { idempotencyKey }) => api(routes.addPromoCode, { body, idempotencyKey })}
          isClearedOnSuccess
          successMessage={({ message }, { name }) => ({
            text: (
              <SuccessWithLink
                to={paths.promoCodes}
                search={{ q: name.trim() }}
                label={t.see}
                canOpen={can('read_coupon')}
              >
                {message}
              </SuccessWithLink>
            ),
          })}
          submitLabel={t.save}
          secondary={
            can('read_coupon') && (
              <LinkButton to={paths.promoCodes} variant="default">
                {t.toList}
              </LinkButton>
            )
          }
          hasSaveBar="new"
        >
          {(form) => (
            <>
              <TextInput label={t.name} description={t.nameHint} required {...form.getInputProps('name')} />
              <div className={shared.fields}>
                <NumberField
                  label={t.amount}
                  description={t.amountHint}
                  unit="%"
                  required
                  {...fieldProps(form, 'amount')}
                />
                <TextInput
                  label={t.dueDate}
                  description={t.dueDateHint}
                  placeholder={t.duePlaceholder}
                  inputMode="numeric"
                  required
                  {...form.getInputProps('dueDate')}
                  onBlur={() => {
                    const day = findDay(form.values.dueDate);
                    if (day && formatDay(day) !== form.values.dueDate) form.setFieldValue('dueDate', formatDay(day));
                  }}
                />
              </div>
              {isPast(form.values.dueDate) && <Notice tone="note">{t.past}</Notice>}
              <Textarea
                label={t.description}
                description={t.descriptionHint}
                minRows={2}
                {...form.getInputProps('description')}
              />
            </>
          )}
        </Form>
      </Stack>
    </>
  );
}
