import { TextInput, type TextInputProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import { type FieldProps, fieldProps } from '#src/ui/form.tsx';
import { HiddenNumber } from '#src/ui/hidden-number.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';
import { accountNumber } from './billing-labels.ts';
import { CountryField } from './country-field.tsx';

const t = frAccounts.billing;

const holderValues = (billing: BillingAccount | undefined) => ({
  owner: billing?.owner ?? '',
  holderAddress: billing?.holderAddress ?? '',
  holderAddress2: billing?.holderAddress2 ?? '',
  holderPostcode: billing?.holderPostcode ?? '',
  holderCity: billing?.holderCity ?? '',
  holderCountry: billing?.holderCountry ?? '',
});
export const bankValues = (billing?: BillingAccount) => ({
  ...holderValues(billing),
  bankName: billing?.bankName ?? '',
  bankAddress: billing?.bankAddress ?? '',
  bankAddress2: billing?.bankAddress2 ?? '',
  bankZipCode: billing?.bankZipCode ?? '',
  bankCity: billing?.bankCity ?? '',
  bankCountry: billing?.bankCountry ?? '',
  iban: accountNumber(billing?.iban ?? ''),
  swift: billing?.swift ?? '',
});
export const paypalValues = (billing?: BillingAccount) => ({ email: billing?.email ?? '', ...holderValues(billing) });

type BankForm = UseFormReturnType<ReturnType<typeof bankValues>>;
type PaypalForm = UseFormReturnType<ReturnType<typeof paypalValues>>;

interface HolderFieldsProps {
  inputProps: (name: 'holderAddress' | 'holderAddress2' | 'holderPostcode' | 'holderCity') => TextInputProps;
  country: FieldProps<string>;
}

function HolderFields({ inputProps, country }: HolderFieldsProps) {
  return (
    <>
      <TextInput label={t.holderAddress} required {...inputProps('holderAddress')} />
      <TextInput label={t.holderAddress2} {...inputProps('holderAddress2')} />
      <TextInput label={t.holderPostcode} required {...inputProps('holderPostcode')} />
      <TextInput label={t.holderCity} required {...inputProps('holderCity')} />
      <CountryField label={t.holderCountry} required {...country} />
    </>
  );
}

/** The masked account number, and the complete one on demand. */
export function BankNumber({ billing }: { billing: BillingAccount }) {
  return (
    <HiddenNumber
      value={billing.iban ?? ''}
      name={t.iban}
      reveal={async () =>
        accountNumber((await api(routes.revealBillingAccount, { params: { id: billing.id } })).data.iban)
      }
    />
  );
}

export function BankFields({ form, billing }: { form: BankForm; billing?: BillingAccount }) {
  return (
    <>
      <fieldset className={`${shared.fieldset} ${classes.fields}`}>
        <legend>{t.bank}</legend>
        <div className={classes.grid}>
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
              if (/^[A-Z]{2}\d{2}[A-Z0-9]{8,}$/.test(text)) form.setFieldValue('iban', accountNumber(text));
            }}
          />
          <TextInput
            className={classes.code}
            label={t.swift}
            required
            spellCheck={false}
            {...form.getInputProps('swift')}
          />
          <TextInput label={t.bankAddress} required {...form.getInputProps('bankAddress')} />
          <TextInput label={t.bankAddress2} {...form.getInputProps('bankAddress2')} />
          <TextInput label={t.bankZipCode} required {...form.getInputProps('bankZipCode')} />
          <TextInput label={t.bankCity} required {...form.getInputProps('bankCity')} />
        </div>
      </fieldset>
      <fieldset className={`${shared.fieldset} ${classes.fields}`}>
        <legend>{t.holder}</legend>
        <div className={classes.grid}>
          <TextInput className={shared.wide} label={t.owner} required {...form.getInputProps('owner')} />
          <HolderFields inputProps={form.getInputProps} country={fieldProps(form, 'holderCountry')} />
        </div>
      </fieldset>
    </>
  );
}

export function PaypalFields({ form }: { form: PaypalForm }) {
  return (
    <div className={classes.grid}>
      <TextInput label={t.email} required type="email" {...form.getInputProps('email')} />
      <TextInput label={t.owner} required {...form.getInputProps('owner')} />
      <HolderFields inputProps={form.getInputProps} country={fieldProps(form, 'holderCountry')} />
    </div>
  );
}
