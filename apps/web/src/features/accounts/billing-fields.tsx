import { TextInput, type TextInputProps } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { routes } from '@regie/contract/routes.ts';
import type { ReactNode } from 'react';
import { api } from '#src/lib/api.ts';
import { HiddenNumber } from '#src/ui/hidden-number.tsx';
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
  country: string;
  onCountry: (country: string) => void;
  countryError: ReactNode;
}

function HolderFields({ inputProps, country, onCountry, countryError }: HolderFieldsProps) {
  return (
    <>
      <TextInput label={t.holderAddress} required autoComplete="off" {...inputProps('holderAddress')} />
      <TextInput label={t.holderAddress2} autoComplete="off" {...inputProps('holderAddress2')} />
      <TextInput label={t.holderPostcode} required autoComplete="off" {...inputProps('holderPostcode')} />
      <TextInput label={t.holderCity} required autoComplete="off" {...inputProps('holderCity')} />
      <CountryField label={t.holderCountry} required value={country} onChange={onCountry} error={countryError} />
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
      <fieldset className={classes.fields}>
        <legend>{t.bank}</legend>
        <div className={classes.grid}>
          <CountryField
            label={t.bankCountry}
            required
            value={form.values.bankCountry}
            onChange={(country) => form.setFieldValue('bankCountry', country)}
            error={form.errors.bankCountry}
          />
          <TextInput label={t.bankName} required autoComplete="off" {...form.getInputProps('bankName')} />
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
            autoComplete="off"
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
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('swift')}
          />
          <TextInput label={t.bankAddress} required autoComplete="off" {...form.getInputProps('bankAddress')} />
          <TextInput label={t.bankAddress2} autoComplete="off" {...form.getInputProps('bankAddress2')} />
          <TextInput label={t.bankZipCode} required autoComplete="off" {...form.getInputProps('bankZipCode')} />
          <TextInput label={t.bankCity} required autoComplete="off" {...form.getInputProps('bankCity')} />
        </div>
      </fieldset>
      <fieldset className={classes.fields}>
        <legend>{t.holder}</legend>
        <div className={classes.grid}>
          <TextInput
            className={classes.wide}
            label={t.owner}
            required
            autoComplete="off"
            {...form.getInputProps('owner')}
          />
          <HolderFields
            inputProps={(name) => form.getInputProps(name)}
            country={form.values.holderCountry}
            onCountry={(country) => form.setFieldValue('holderCountry', country)}
            countryError={form.errors.holderCountry}
          />
        </div>
      </fieldset>
    </>
  );
}

export function PaypalFields({ form }: { form: PaypalForm }) {
  return (
    <div className={classes.grid}>
      <TextInput label={t.email} required type="email" autoComplete="off" {...form.getInputProps('email')} />
      <TextInput label={t.owner} required autoComplete="off" {...form.getInputProps('owner')} />
      <HolderFields
        inputProps={(name) => form.getInputProps(name)}
        country={form.values.holderCountry}
        onCountry={(country) => form.setFieldValue('holderCountry', country)}
        countryError={form.errors.holderCountry}
      />
    </div>
  );
}
