import {
  Box,
  Button,
  Group,
  NativeSelect,
  type NativeSelectProps,
  Select,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { messages } from '@regie/contract/messages.ts';
import { type Profile, ProfileForm, timezones } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { statementPeriods, vatRegimes } from '@regie/contract/state-names.ts';
import { formatPercent, shownAmount, splitBalance } from '@regie/values/formats.ts';
import { sirenOfVat } from '@regie/values/siren.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { z } from 'zod';
import { type ApiAnswer, apiQuery } from '#src/lib/api.ts';
import { optionsOf, textsOf } from '#src/lib/texts.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { type FieldProps, Form, fieldProps, type Success } from '#src/ui/form.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import shared from '#src/ui/shared.module.css';
import { isShareNegative } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import { CountryField } from './country-field.tsx';

const t = frAccounts.form;

/** Required by the screen only: a country, and the reason of a balance change (product §39.11, §33.13). */
const ScreenForm = ProfileForm.superRefine((form, context) => {
  const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (!form.country) refuse('country', t.chooseCountry);
  if (form.income !== undefined && form.income < 0) refuse('income', messages.incomeNegative);
  if (form.income !== undefined && !form.reason) refuse('reason', messages.adjustmentReason);
});

export const toShown = (income: number): number => shownAmount(splitBalance(income).payable);

const shareNames = ['libraryIncomePercentile', 'youtubeChannelIncomePercentile'] as const;
type Shares = Pick<Profile, (typeof shareNames)[number]>;

const initialValues = (profile: Profile | undefined, shares: Shares) => ({
  ...textsOf(profile, 'fname', 'lname', 'email', 'company', 'tax', 'siren', 'electronicAddress', 'vatRegime', 'memo'),
  ...textsOf(profile, 'address', 'address2', 'postcode', 'city', 'country', 'timezone', 'statementPeriod'),
  role: profile?.role ?? 'CUSTOMER',
  state: profile?.state ?? 'ENABLED',
  libraryIncomePercentile: shares.libraryIncomePercentile as number | undefined,
  youtubeChannelIncomePercentile: shares.youtubeChannelIncomePercentile as number | undefined,
  income: toShown(profile?.income ?? 0) as number | undefined,
  reason: '',
});
type Values = ReturnType<typeof initialValues>;

interface ProfileFormProps<Data> {
  profile?: Profile;
  shares: Shares;
  lastRead?: Pick<Profile, 'income' | 'updatedAt'>;
  submit: (body: z.output<typeof ProfileForm>, options: { idempotencyKey: string }) => Promise<ApiAnswer<Data>>;
  onSuccess: (answer: ApiAnswer<Data>, form: UseFormReturnType<Values>) => void;
  successMessage?: (answer: ApiAnswer<Data>, values: Values) => Success;
  onReload?: () => Promise<void>;
  submitLabel: string;
  secondary?: ReactNode;
}

export function AccountForm<Data>({ profile, shares, lastRead, ...rest }: ProfileFormProps<Data>) {
  const shown = toShown(lastRead?.income ?? 0);
  const isAdjusted = (values: Values) => values.income !== shown;
  return (
    <Form
      {...rest}
      schema={ScreenForm}
      initialValues={initialValues(profile, shares)}
      toBody={(values: Values) => ({
        ...values,
        libraryIncomePercentile: values.libraryIncomePercentile ?? Number.NaN,
        youtubeChannelIncomePercentile: values.youtubeChannelIncomePercentile ?? Number.NaN,
        income: isAdjusted(values) ? (values.income ?? Number.NaN) : undefined,
        incomeSeen: isAdjusted(values) && lastRead ? lastRead.income : undefined,
        reason: isAdjusted(values) ? values.reason : undefined,
        updatedAt: lastRead?.updatedAt,
      })}
      hasSaveBar
    >
      {(form) => (
        <>
          <fieldset className={shared.fieldset}>
            <legend>{t.identity}</legend>
            <div className={shared.fields}>
              {(['fname', 'lname'] as const).map((name) => (
                <TextInput key={name} label={t[name]} required {...form.getInputProps(name)} />
              ))}
              <TextInput label={t.email} description={t.emailHint} type="email" {...form.getInputProps('email')} />
              {(['company', 'tax'] as const).map((name) => (
                <TextInput key={name} label={t[name]} {...form.getInputProps(name)} />
              ))}
              <TextInput
                label={t.siren}
                inputMode="numeric"
                {...form.getInputProps('siren')}
                rightSection={
                  form.values.siren === '' && (
                    <SirenOfVat vatNumber={form.values.tax} onTake={(siren) => form.setFieldValue('siren', siren)} />
                  )
                }
                rightSectionWidth="auto"
              />
              <TextInput
                label={t.electronicAddress}
                description={t.electronicAddressHint}
                {...form.getInputProps('electronicAddress')}
              />
              <NativeSelect
                label={t.vatRegime}
                data={[{ value: '', label: t.noRegime }, ...optionsOf(vatRegimes)]}
                {...form.getInputProps('vatRegime')}
              />
            </div>
          </fieldset>
          <fieldset className={shared.fieldset}>
            <legend>{t.place}</legend>
            <div className={shared.fields}>
              {(['address', 'address2', 'postcode', 'city'] as const).map((name) => (
                <TextInput key={name} label={t[name]} {...form.getInputProps(name)} />
              ))}
              <CountryField label={t.country} required {...fieldProps(form, 'country')} />
              <TimezoneField {...fieldProps(form, 'timezone')} />
            </div>
          </fieldset>
          <fieldset className={shared.fieldset}>
            <legend>{t.terms}</legend>
            <div className={shared.fields}>
              <Select
                label={t.state}
                required
                allowDeselect={false}
                data={(['ENABLED', 'DISABLED', 'HOLD'] as const).map((value) => ({
                  value,
                  label: frAccounts.state[value],
                }))}
                renderOption={({ option }) => (
                  <Group component="span" gap="4px 8px">
                    {option.label}
                    <span className={shared.under}>{frAccounts.stateAction[option.value]}</span>
                  </Group>
                )}
                {...form.getInputProps('state')}
              />
              <Switch
                label={t.isLabel}
                description={t.isLabelHint}
                checked={form.values.role === 'LABEL'}
                onChange={(event) => form.setFieldValue('role', event.currentTarget.checked ? 'LABEL' : 'CUSTOMER')}
              />
              {shareNames.map((name) => (
                <NumberField
                  key={name}
                  label={t[name]}
                  description={t.percentHint}
                  unit="%"
                  required
                  {...fieldProps(form, name)}
                />
              ))}
              <StatementPeriodField {...form.getInputProps('statementPeriod')} />
            </div>
            <ShareWarning
              percents={shareNames.map((name) => form.values[name] ?? 0)}
              referrers={profile?.referrersPercentile ?? 0}
            />
          </fieldset>
          <fieldset className={shared.fieldset}>
            <legend>{t.balance}</legend>
            <div className={shared.fields}>
              <NumberField
                label={t.income}
                description={t.incomeHint}
                unit="€"
                value={form.values.income}
                onChange={(income) => {
                  // The reason of the former adjustment does not apply to a new one.
                  if (!isAdjusted(form.values)) form.setFieldValue('reason', '');
                  form.setFieldValue('income', income);
                }}
                error={form.errors.income}
              />
              {isAdjusted(form.values) && (
                <TextInput label={t.reason} required maxLength={1000} {...form.getInputProps('reason')} />
              )}
            </div>
          </fieldset>
          <Textarea
            label={t.memo}
            description={t.memoHint}
            minRows={3}
            maxRows={14}
            maxLength={5000}
            {...form.getInputProps('memo')}
          />
        </>
      )}
    </Form>
  );
}

function SirenOfVat({ vatNumber, onTake }: { vatNumber: string; onTake: (siren: string) => void }) {
  const siren = sirenOfVat(vatNumber);
  if (siren === undefined) return null;
  return (
    <Button variant="subtle" size="compact-sm" mr={4} onClick={() => onTake(siren)}>
      {t.takeSiren(siren)}
    </Button>
  );
}

function StatementPeriodField(field: NativeSelectProps) {
  const house = useQuery(apiQuery(['profile', 'new'], routes.getNewProfile)).data?.houseStatementPeriod;
  return (
    <NativeSelect
      label={t.statementPeriod}
      data={[{ value: '', label: t.housePeriod(house && statementPeriods[house]) }, ...optionsOf(statementPeriods)]}
      {...field}
    />
  );
}

function TimezoneField({ value, onChange, error }: FieldProps<string>) {
  const isListed = value === '' || timezones.some((zone) => zone === value);
  return (
    <Select
      label={t.timezone}
      data={isListed ? [...timezones] : [value, ...timezones]}
      value={value || null}
      onChange={(zone) => onChange(zone ?? '')}
      clearable
      allowDeselect={false}
      placeholder={t.chooseTimezone}
      error={error}
    />
  );
}

/** The house's share is the remainder: gross − account − referrers' percent of the account's net. */
function ShareWarning({ percents, referrers }: { percents: number[]; referrers: number }) {
  const largest = Math.max(...percents);
  if (!isShareNegative(largest, referrers)) return null;
  return (
    <Box mt={12}>
      <Notice tone="note">{t.negativeShare(formatPercent(largest), formatPercent(referrers))}</Notice>
    </Box>
  );
}
