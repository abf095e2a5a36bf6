import { NativeSelect, Radio, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { CheckedSettingsForm } from '@regie/contract/bank-details.ts';
import { letterNames } from '@regie/contract/letters.ts';
import {
  contractBlocks,
  contractPlaceholders,
  defaultContractTemplate,
  findTemplateFault,
} from '@regie/contract/licence-contract.ts';
import { messages } from '@regie/contract/messages.ts';
import { type Retention, retentionNames, retentionPeriods } from '@regie/contract/retention.ts';
import type { SettingsAnswer } from '@regie/contract/routes/settings.ts';
import { routes } from '@regie/contract/routes.ts';
import { secondFactorPolicies } from '@regie/contract/second-factors.ts';
import type { Prices } from '@regie/contract/settings.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { formatIban, normaliseIban } from '@regie/values/iban.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { LicencePreview } from '#src/domain/documents/contract-preview.tsx';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import { formatDateTime } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { Message } from '#src/ui/alerts.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { NumberField } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { exampleContract } from './contract-example.ts';
import { ContractTemplatesFields } from './contract-templates-fields.tsx';
import { LetterField } from './letter-field.tsx';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';
import { TemplateField } from './template-field.tsx';

const t = frSettings;

export default function SettingsPage() {
  const settings = useQuery(apiQuery(['settings'], routes.getSettings));
  const [reloads, setReloads] = useState(0);
  const reload = async () => {
    await settings.refetch({ throwOnError: true });
    setReloads((count) => count + 1);
  };
  if (settings.data) {
    const { updatedAt, updatedBy } = settings.data;
    return (
      <>
        <PageHeader
          title={frScreens.settings}
          text={updatedAt === null ? t.intro : t.changed(formatDateTime(updatedAt), updatedBy ?? fr.common.system)}
        />
        {settings.data.proposals.map((id) => (
          <RecordSigning key={id} subject="proposal" id={String(id)} />
        ))}
        <div className={classes.page}>
          <Sections />
          <SettingsEditor key={reloads} answer={settings.data} onReload={reload} />
        </div>
      </>
    );
  }
  return <Loading query={settings} />;
}

/** The sections of the page, in order. */
const sections = {
  house: t.house,
  prices: t.prices,
  shares: t.shares,
  payouts: t.payouts,
  security: t.security,
  contract: t.contract,
  contractTemplates: t.contractTemplates.title,
  letters: t.letters,
  retention: t.retention.title,
} as const;
const anchor = (section: keyof typeof sections) => `reglages-${section}`;

/** The section in view. */
function useSectionInView(): string | undefined {
  const [shown, setShown] = useState<string>();
  useEffect(() => {
    // A line below the top bar; at the end of the page, the last section.
    const find = () => {
      const fieldsets = [...document.querySelectorAll('fieldset[id^="reglages-"]')];
      const { scrollHeight } = document.documentElement;
      const isAtEnd = window.scrollY > 0 && window.scrollY + window.innerHeight >= scrollHeight - 2;
      const line = window.innerHeight / 4;
      const above = isAtEnd ? fieldsets : fieldsets.filter((each) => each.getBoundingClientRect().top <= line);
      setShown((above.at(-1) ?? fieldsets[0])?.id);
    };
    find();
    window.addEventListener('scroll', find, { passive: true });
    return () => window.removeEventListener('scroll', find);
  }, []);
  return shown;
}

/** The index of the page, beside the form where there is room. */
function Sections() {
  const shown = useSectionInView();
  return (
    <nav aria-label={t.sections} className={classes.index}>
      <NativeSelect
        className={classes.jump}
        aria-label={t.jump}
        value={shown}
        onChange={(event) => document.getElementById(event.currentTarget.value)?.scrollIntoView()}
        data={Object.entries(sections).map(([name, label]) => ({
          value: anchor(name as keyof typeof sections),
          label,
        }))}
      />
      <ul className={classes.sections}>
        {Object.entries(sections).map(([name, label]) => (
          <li key={name}>
            <a
              href={`#${anchor(name as keyof typeof sections)}`}
              aria-current={anchor(name as keyof typeof sections) === shown ? 'location' : undefined}
            >
              {label}
            </a>
          </li>
        ))}
        <li>
          <Link to={paths.exchangeRates}>{frScreens.exchangeRates}</Link>
        </li>
      </ul>
    </nav>
  );
}

const toValues = ({ house, prices, ...settings }: SettingsAnswer['settings']) => ({
  house: { ...house, iban: formatIban(house.iban) },
  prices: prices as Partial<Prices>,
  vatPercent: settings.vatPercent as number | undefined,
  libraryIncomePercentile: settings.libraryIncomePercentile as number | undefined,
  youtubeChannelIncomePercentile: settings.youtubeChannelIncomePercentile as number | undefined,
  payoutFeeEur: settings.payoutFeeEur as number | undefined,
  payoutApprovalEur: settings.payoutApprovalEur as number | undefined,
  unsignedEur: settings.unsignedEur as number | undefined,
  adjustmentApprovalEur: settings.adjustmentApprovalEur ?? undefined,
  payoutAlertEur: settings.payoutAlertEur as number | undefined,
  isrcPrefixes: settings.isrcPrefixes,
  licenceYears: settings.licenceYears as number | undefined,
  licenceTemplate: settings.licenceTemplate,
  contractTemplates: settings.contractTemplates,
  passwordResetLetter: settings.passwordResetLetter,
  passwordChangedLetter: settings.passwordChangedLetter,
  invitationLetter: settings.invitationLetter,
  emailChangedLetter: settings.emailChangedLetter,
  billingChangedLetter: settings.billingChangedLetter,
  accessChangedLetter: settings.accessChangedLetter,
  factorCodeLetter: settings.factorCodeLetter,
  newDeviceLetter: settings.newDeviceLetter,
  secondFactor: settings.secondFactor,
  retention: settings.retention as Partial<Retention>,
});
/** The guarded settings, to compare pending changes with current values. */
const guardedOf = ({ house, payoutApprovalEur, unsignedEur, adjustmentApprovalEur, secondFactor }: Values) =>
  JSON.stringify([
    normaliseIban(house.iban),
    house.bic.trim().toUpperCase(),
    payoutApprovalEur,
    unsignedEur,
    adjustmentApprovalEur,
    secondFactor,
  ]);
/** Omitted settings are unchanged: a cleared number is sent as NaN, which is refused. */
const required = (value: number | undefined) => value ?? Number.NaN;
type Values = ReturnType<typeof toValues>;
type SettingsFields = UseFormReturnType<Values>;

function SettingsEditor({ answer, onReload }: { answer: SettingsAnswer; onReload: () => Promise<void> }) {
  // The values the fields were filled from; reloading the settings must not make a stale form look current.
  const [version, setVersion] = useState(answer.version);
  return (
    <Form
      schema={CheckedSettingsForm}
      initialValues={toValues(answer.settings)}
      toBody={(values) => ({
        ...values,
        vatPercent: required(values.vatPercent),
        libraryIncomePercentile: required(values.libraryIncomePercentile),
        youtubeChannelIncomePercentile: required(values.youtubeChannelIncomePercentile),
        payoutFeeEur: required(values.payoutFeeEur),
        payoutAlertEur: required(values.payoutAlertEur),
        licenceYears: required(values.licenceYears),
        retention: Object.fromEntries(retentionNames.map((name) => [name, required(values.retention[name])])),
        payoutApprovalEur: required(values.payoutApprovalEur),
        unsignedEur: required(values.unsignedEur),
        adjustmentApprovalEur: values.adjustmentApprovalEur ?? null,
        version,
      })}
      submit={(body, { idempotencyKey }) => api(routes.putSettings, { body, idempotencyKey })}
      onSuccess={({ data }, form) => {
        setVersion(data.version);
        // Pending changes are not in effect: the fields show the current values.
        const { house, payoutApprovalEur, unsignedEur, adjustmentApprovalEur, secondFactor } = toValues(data.settings);
        form.setValues({
          house: { ...form.values.house, iban: house.iban, bic: house.bic },
          payoutApprovalEur,
          unsignedEur,
          adjustmentApprovalEur,
          secondFactor,
        });
      }}
      successMessage={({ data, message }, values) => {
        if (data.proposals.length === 0 || guardedOf(values) === guardedOf(toValues(data.settings))) {
          return { text: message };
        }
        const isSaved = data.version !== version;
        return { text: isSaved ? `${message}. ${signatureMessages.waits}.` : signatureMessages.waits, isInfo: true };
      }}
      onReload={onReload}
      submitLabel={fr.common.save}
      hasSaveBar
      isResettable
    >
      {(form) => (
        <>
          <HouseFields form={form} />
          <PriceFields form={form} />
          <ShareFields form={form} />
          <PayoutFields form={form} />
          <SecurityFields form={form} />
          <ContractFields form={form} />
          <fieldset id={anchor('contractTemplates')} className={classes.fields}>
            <legend>{t.contractTemplates.title}</legend>
            <p className={shared.note}>{t.contractTemplates.hint}</p>
            <ContractTemplatesFields form={form} />
          </fieldset>
          <LetterFields form={form} />
          <RetentionFields form={form} />
        </>
      )}
    </Form>
  );
}

function HouseFields({ form }: { form: SettingsFields }) {
  const prefixError = Object.entries(form.errors).find(([path]) => path.startsWith('isrcPrefixes'))?.[1];
  return (
    <fieldset id={anchor('house')} className={classes.fields}>
      <legend>{t.house}</legend>
      <p className={shared.note}>{t.houseHint}</p>
      <div className={classes.grid}>
        <TextInput label={t.name} required {...form.getInputProps('house.name')} />
        <TextInput label={t.email} inputMode="email" {...form.getInputProps('house.email')} />
        <Textarea
          className={shared.wide}
          label={t.address}
          minRows={2}
          maxRows={4}
          {...form.getInputProps('house.address')}
        />
        <TextInput label={t.postcode} {...form.getInputProps('house.postcode')} />
        <TextInput label={t.city} {...form.getInputProps('house.city')} />
        <TextInput label={t.country} {...form.getInputProps('house.country')} />
        <TextInput label={t.siren} inputMode="numeric" {...form.getInputProps('house.siren')} />
        <TextInput label={t.vatNumber} {...form.getInputProps('house.vatNumber')} />
        <TextInput label={t.bic} {...form.getInputProps('house.bic')} />
        <TextInput
          className={shared.wide}
          label={t.iban}
          {...form.getInputProps('house.iban')}
          onBlur={() => form.setFieldValue('house.iban', formatIban(normaliseIban(form.values.house.iban)))}
        />
        <TagsInput
          className={shared.wide}
          label={t.isrcPrefixes}
          description={t.isrcPrefixesHint}
          splitChars={[',', ' ', ';']}
          acceptValueOnBlur
          value={form.values.isrcPrefixes}
          onChange={(prefixes) => {
            form.setFieldValue(
              'isrcPrefixes',
              prefixes.map((prefix) => prefix.toUpperCase()),
            );
          }}
          error={prefixError}
          aria-invalid={prefixError ? true : undefined}
        />
      </div>
    </fieldset>
  );
}

const priceNames = ['single', 'ep', 'album', 'label', 'premiumLabelFee', 'expressFee'] as const;

function PriceFields({ form }: { form: SettingsFields }) {
  return (
    <fieldset id={anchor('prices')} className={classes.fields}>
      <legend>{t.prices}</legend>
      <p className={shared.note}>{t.pricesHint}</p>
      <div className={classes.grid}>
        {priceNames.map((name) => (
          <NumberField
            key={name}
            label={t[name]}
            unit="€"
            minDecimals={2}
            required
            {...form.getInputProps(`prices.${name}`)}
            value={form.values.prices[name]}
          />
        ))}
        <NumberField
          label={t.vatPercent}
          unit="%"
          required
          {...form.getInputProps('vatPercent')}
          value={form.values.vatPercent}
        />
      </div>
    </fieldset>
  );
}

const shareNames = ['libraryIncomePercentile', 'youtubeChannelIncomePercentile'] as const;

function ShareFields({ form }: { form: SettingsFields }) {
  return (
    <fieldset id={anchor('shares')} className={classes.fields}>
      <legend>{t.shares}</legend>
      <p className={shared.note}>{t.sharesHint}</p>
      <div className={classes.grid}>
        {shareNames.map((name) => (
          <NumberField
            key={name}
            label={t[name]}
            unit="%"
            required
            {...form.getInputProps(name)}
            value={form.values[name]}
          />
        ))}
      </div>
    </fieldset>
  );
}

const payoutNames = [
  'payoutFeeEur',
  'payoutApprovalEur',
  'unsignedEur',
  'adjustmentApprovalEur',
  'payoutAlertEur',
] as const;

function PayoutFields({ form }: { form: SettingsFields }) {
  return (
    <fieldset id={anchor('payouts')} className={classes.fields}>
      <legend>{t.payouts}</legend>
      <div className={classes.grid}>
        {payoutNames.map((name) => (
          <NumberField
            key={name}
            label={t[name]}
            description={t.payoutHint[name]}
            unit="€"
            minDecimals={2}
            required={name !== 'adjustmentApprovalEur'}
            {...form.getInputProps(name)}
            value={form.values[name]}
          />
        ))}
      </div>
    </fieldset>
  );
}

function SecurityFields({ form }: { form: SettingsFields }) {
  return (
    <fieldset id={anchor('security')} className={classes.fields}>
      <legend>{t.security}</legend>
      <Radio.Group
        label={t.secondFactor}
        description={t.secondFactorHint}
        descriptionProps={{ mt: 'xs' }}
        {...form.getInputProps('secondFactor')}
        value={form.values.secondFactor}
      >
        <Stack gap="xs" mt="xs">
          {secondFactorPolicies.map((policy) => (
            <Radio key={policy} value={policy} label={t.secondFactorPolicy[policy]} />
          ))}
        </Stack>
      </Radio.Group>
    </fieldset>
  );
}

function ContractFields({ form }: { form: SettingsFields }) {
  const [isPreviewing, setIsPreviewing] = useState(false);
  const [failure, setFailure] = useState<string>();
  const { house, licenceYears, licenceTemplate, libraryIncomePercentile, youtubeChannelIncomePercentile } = form.values;
  const example = exampleContract({
    house,
    licenceYears: licenceYears || 1,
    licenceTemplate,
    libraryIncomePercentile: libraryIncomePercentile || 0,
    youtubeChannelIncomePercentile: youtubeChannelIncomePercentile || 0,
  });
  const preview = async () => {
    const fault = findTemplateFault(licenceTemplate);
    if (fault !== undefined) return form.setFieldError('licenceTemplate', fault);
    setFailure(undefined);
    setIsPreviewing(true);
    try {
      const { downloadContract } = await import('#src/domain/documents/licence-contract-pdf.ts');
      await downloadContract(example, t.previewFile);
    } catch {
      setFailure(messages.retry);
    } finally {
      setIsPreviewing(false);
    }
  };
  return (
    <fieldset id={anchor('contract')} className={classes.fields}>
      <legend>{t.contract}</legend>
      <p className={shared.note}>{t.contractHint}</p>
      <div className={classes.grid}>
        <NumberField
          label={t.licenceYears}
          unit={t.licenceYearsUnit}
          required
          {...form.getInputProps('licenceYears')}
          value={form.values.licenceYears}
        />
      </div>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <TemplateField
        label={t.template}
        original={defaultContractTemplate}
        restoreLabel={t.restore}
        fields={contractPlaceholders}
        fieldsHint={t.fieldsHint}
        blocks={contractBlocks}
        {...fieldProps(form, 'licenceTemplate')}
        onPreview={() => void preview()}
        isPreviewing={isPreviewing}
      >
        <LicencePreview contract={example} />
      </TemplateField>
    </fieldset>
  );
}

function LetterFields({ form }: { form: SettingsFields }) {
  return (
    <fieldset id={anchor('letters')} className={classes.fields}>
      <legend>{t.letters}</legend>
      <p className={shared.note}>{t.lettersHint}</p>
      {letterNames.map((name) => (
        <LetterField key={name} name={name} form={form} />
      ))}
    </fieldset>
  );
}

/** How long personal data is kept (product §40.7). */
function RetentionFields({ form }: { form: SettingsFields }) {
  return (
    <fieldset id={anchor('retention')} className={classes.fields}>
      <legend>{t.retention.title}</legend>
      <p className={shared.note}>{t.retention.hint}</p>
      <div className={classes.grid}>
        {retentionNames.map((name) => (
          <NumberField
            key={name}
            label={t.retention.label[name]}
            description={t.retention.what[name]}
            unit={t.retention.unit[retentionPeriods[name].unit]}
            required
            {...form.getInputProps(`retention.${name}`)}
            value={form.values.retention[name]}
          />
        ))}
      </div>
      <p className={shared.note}>{t.retention.fixed}</p>
    </fieldset>
  );
}
