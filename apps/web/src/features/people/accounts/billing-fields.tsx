import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatIban } from '@regie/values/iban.ts';
import { BankAnswerText } from '#src/domain/bank-answer.tsx';
import { api } from '#src/lib/api.ts';
import { textsOf } from '#src/lib/texts.ts';
import { type FieldProps, fieldProps } from '#src/ui/form.tsx';
import { HiddenNumber } from '#src/ui/hidden-number.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { CountryField } from './country-field.tsx';

const t = frAccounts.billing;

const holderNames = ['holderAddress', 'holderAddress2', 'holderPostcode', 'holderCity'] as const;
const holderValues = (billing?: BillingAccount) => textsOf(billing, 'owner', 'holderCountry', ...holderNames);
const bankNames = ['bankAddress', 'bankAddress2', 'bankZipCode', 'bankCity'] as const;
export const bankValues = (billing?: BillingAccount) => ({
  ...holderValues(billing),
  ...textsOf(billing, 'bankName', 'bankCountry', 'swift', ...bankNames),
  iban: formatIban(billing?.iban ?? ''),
});
export const paypalValues = (billing?: BillingAccount) => ({ email: billing?.email ?? '', ...holderValues(billing) });

type BankForm = UseFormReturnType<ReturnType<typeof bankValues>>;
type PaypalForm = UseFormReturnType<ReturnType<typeof paypalValues>>;

interface HolderFieldsProps {
  inputProps: (name: (typeof holderNames)[number]) => TextInputProps;
  country: FieldProps<string>;
}

function HolderFields({ inputProps, country }: HolderFieldsProps) {
  return (
    <>
      {holderNames.map((name) => (
        <TextInput key={name} label={t[name]} required={name !== 'holderAddress2'} {...inputProps(name)} />
      ))}
      <CountryField label={t.holderCountry} required {...country} />
    </>
  );
}

export function BankNumber({ billing }: { billing: BillingAccount }) {
  return (
    <HiddenNumber
      value={billing.iban ?? ''}
      name={t.iban}
      reveal={async () =>
        formatIban((await api(routes.revealBillingAccount, { params: { id: billing.id } })).data.iban)
      }
    />
  );
}

export function BankFields({ form, billing }: { form: BankForm; billing?: BillingAccount }) {
  const knownName = billing?.bankAnswer?.verdict === 'near' ? billing.bankAnswer.said : null;
  return (
    <>
      <fieldset className={shared.fieldset}>
        <legend>{t.bank}</legend>
        <div className={shared.fields}>
          <CountryField label={t.bankCountry} required {...fieldProps(form, 'bankCountry')} />
          <TextInput label={t.bankName} required {...form.getInputProps('bankName')} />
          <TextInput
            className={classes.code}
            label={t.iban}
            description={
              billing ? (
                <>
                  {t.ibanKept} <BankNumber billing={billing} />
                </>
              ) : (
                t.ibanHint
              )
            }
            descriptionProps={{ component: 'div' }}
            required
            spellCheck={false}
            {...form.getInputProps('iban')}
            onBlur={() => {
              const text = form.values.iban.toUpperCase().replaceAll(/[\s\u00a0]/g, '');
              // An IBAN is grouped by four; other numbers stay as typed.
              if (/^[A-Z]{2}\d{2}[A-Z0-9]{8,}$/.test(text)) form.setFieldValue('iban', formatIban(text));
            }}
          />
          <TextInput
            className={classes.code}
            label={t.swift}
            required
            spellCheck={false}
            {...form.getInputProps('swift')}
          />
          {bankNames.map((name) => (
            <TextInput key={name} label={t[name]} required={name !== 'bankAddress2'} {...form.getInputProps(name)} />
          ))}
        </div>
      </fieldset>
      <fieldset className={shared.fieldset}>
        <legend>{t.holder}</legend>
        <div className={shared.fields}>
          <TextInput className={shared.wide} label={t.owner} required {...form.getInputProps('owner')} />
          {billing?.bankAnswer && (
            <Group className={shared.wide} gap={12}>
              <BankAnswerText answer={billing.bankAnswer} />
              {knownName !== null && knownName !== form.values.owner && (
                <Button variant="default" size="compact-sm" onClick={() => form.setFieldValue('owner', knownName)}>
                  {t.useKnownName}
                </Button>
              )}
            </Group>
          )}
          <HolderFields inputProps={form.getInputProps} country={fieldProps(form, 'holderCountry')} />
        </div>
      </fieldset>
    </>
  );
}

export function PaypalFields({ form }: { form: PaypalForm }) {
  return (
    <div className={shared.fields}>
      <TextInput label={t.email} required type="email" {...form.getInputProps('email')} />
      <TextInput label={t.owner} required {...form.getInputProps('owner')} />
      <HolderFields inputProps={form.getInputProps} country={fieldProps(form, 'holderCountry')} />
    </div>
  );
}
