import { NativeSelect, Radio, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { CheckedSettingsForm } from '@regie/contract/bank-details.ts';
import { letterNames } from '@regie/contract/letters.ts';
import {
  contractBlocks,
  contractPlaceholders,
  defaultContractTemplate,
  findTemplateFault,
} from '@regie/contract/licence-contract.ts';
import { type Retention, retentionNames, retentionPeriods } from '@regie/contract/retention.ts';
import type { SettingsAnswer } from '@regie/contract/routes/settings.ts';
import { routes } from '@regie/contract/routes.ts';
import { SecondFactorPolicy } from '@regie/contract/second-factors.ts';
import type { Prices } from '@regie/contract/settings.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { contractDocument } from '@regie/documents/licence-contract.ts';
import { formatDateTime } from '@regie/values/formats.ts';
import { formatIban, normaliseIban } from '@regie/values/iban.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { LicencePreview } from '#src/domain/documents/contract-preview.tsx';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { NumberField, type NumberFieldProps } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { exampleContract } from './contract-example.ts';
import { ContractTemplatesFields } from './contract-templates-fields.tsx';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';
import { LetterField, TemplateField } from './template-field.tsx';

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
const shareNames = ['libraryIncomePercentile', 'youtubeChannelIncomePercentile'] as const;
const payoutNames = [
  'payoutFeeEur',
  'payoutApprovalEur',
  'unsignedEur',
  'adjustmentApprovalEur',
  'payoutAlertEur',
] as const;
const euros = { unit: '€', minDecimals: 2 };
const percent = { unit: '%' };

const numbers = {
  prices: [
    ...(['single', 'ep', 'album', 'label', 'premiumLabelFee', 'expressFee'] as const).map((name) => ({
      path: `prices.${name}`,
      label: t[name],
      ...euros,
    })),
    { path: 'vatPercent', label: t.vatPercent, ...percent },
  ],
  shares: shareNames.map((path) => ({ path, label: t[path], ...percent })),
  payouts: payoutNames.map((path) => ({
    path,
    label: t[path],
    description: t.payoutHint[path],
    required: path !== 'adjustmentApprovalEur',
    ...euros,
  })),
  // How long personal data is kept (product §40.7).
  retention: retentionNames.map((name) => ({
    path: `retention.${name}`,
    label: t.retention.label[name],
    description: t.retention.what[name],
    unit: t.retention.unit[retentionPeriods[name].unit],
  })),
};

type SectionName = keyof typeof sections;
const anchor = (section: string) => `reglages-${section}`;

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

function Sections() {
  const shown = useSectionInView();
  return (
    <nav aria-label={t.sections} className={classes.index}>
      <NativeSelect
        className={classes.jump}
        aria-label={t.jump}
        value={shown}
        onChange={(event) => document.getElementById(event.currentTarget.value)?.scrollIntoView()}
        data={Object.entries(sections).map(([name, label]) => ({ value: anchor(name), label }))}
      />
      <ul className={classes.sections}>
        {Object.entries(sections).map(([name, label]) => (
          <li key={name}>
            <a href={`#${anchor(name)}`} aria-current={anchor(name) === shown ? 'location' : undefined}>
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

type Stored = SettingsAnswer['settings'];
type NumberName = (typeof shareNames | typeof payoutNames)[number] | 'vatPercent' | 'licenceYears';
/** A number is undefined while it is cleared. */
type Values = Omit<Stored, NumberName | 'prices' | 'retention'> &
  Record<NumberName, number | undefined> & { prices: Partial<Prices>; retention: Partial<Retention> };
type SettingsFields = UseFormReturnType<Values>;

const toValues = ({ house, adjustmentApprovalEur, ...settings }: Stored): Values => ({
  ...settings,
  house: { ...house, iban: formatIban(house.iban) },
  adjustmentApprovalEur: adjustmentApprovalEur ?? undefined,
});
/** The guarded settings: pending changes are not in effect. */
const guardedOf = ({ house, payoutApprovalEur, unsignedEur, adjustmentApprovalEur, secondFactor }: Values) => ({
  iban: normaliseIban(house.iban),
  bic: house.bic.trim().toUpperCase(),
  limits: { payoutApprovalEur, unsignedEur, adjustmentApprovalEur, secondFactor },
});
const isSame = (one: Values, other: Values) => JSON.stringify(guardedOf(one)) === JSON.stringify(guardedOf(other));
/** Omitted settings are unchanged: a cleared number is sent as NaN, which is refused. */
const refuseCleared = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? Number.NaN]));

function SettingsEditor({ answer, onReload }: { answer: SettingsAnswer; onReload: () => Promise<void> }) {
  // The values the fields were filled from; reloading the settings must not make a stale form look current.
  const [version, setVersion] = useState(answer.version);
  return (
    <Form
      schema={CheckedSettingsForm}
      initialValues={toValues(answer.settings)}
      toBody={({ retention, adjustmentApprovalEur, ...values }) => ({
        ...refuseCleared(values),
        retention: refuseCleared(retention),
        adjustmentApprovalEur: adjustmentApprovalEur ?? null,
        version,
      })}
      submit={(body, { idempotencyKey }) => api(routes.putSettings, { body, idempotencyKey })}
      onSuccess={({ data }, form) => {
        setVersion(data.version);
        const { iban, bic, limits } = guardedOf(toValues(data.settings));
        form.setValues({ house: { ...form.values.house, iban: formatIban(iban), bic }, ...limits });
      }}
      successMessage={({ data, message }, values) => {
        if (data.proposals.length === 0 || isSame(values, toValues(data.settings))) {
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
          <Part section="prices" note={t.pricesHint}>
            <Numbers form={form} fields={numbers.prices} />
          </Part>
          <Part section="shares" note={t.sharesHint}>
            <Numbers form={form} fields={numbers.shares} />
          </Part>
          <Part section="payouts">
            <Numbers form={form} fields={numbers.payouts} />
          </Part>
          <Part section="security">
            <SecondFactorField form={form} />
          </Part>
          <ContractFields form={form} />
          <Part section="contractTemplates" note={t.contractTemplates.hint}>
            <ContractTemplatesFields form={form} />
          </Part>
          <Part section="letters" note={t.lettersHint}>
            {letterNames.map((name) => (
              <LetterField key={name} name={name} form={form} />
            ))}
          </Part>
          <Part section="retention" note={t.retention.hint}>
            <Numbers form={form} fields={numbers.retention} />
            <p className={shared.note}>{t.retention.fixed}</p>
          </Part>
        </>
      )}
    </Form>
  );
}

function Part({ section, note, children }: { section: SectionName; note?: string; children: ReactNode }) {
  return (
    <fieldset id={anchor(section)} className={classes.fields}>
      <legend>{sections[section]}</legend>
      {note && <p className={shared.note}>{note}</p>}
      {children}
    </fieldset>
  );
}

type NumberSetting = Omit<NumberFieldProps, 'value' | 'onChange'> & { path: string };

function Numbers({ form, fields }: { form: SettingsFields; fields: readonly NumberSetting[] }) {
  return (
    <SimpleGrid minColWidth="min(100%, 220px)" spacing={16} style={{ alignItems: 'start' }}>
      {fields.map(({ path, ...field }) => {
        const { value, ...input } = form.getInputProps(path);
        return <NumberField key={path} required {...field} {...input} value={value} />;
      })}
    </SimpleGrid>
  );
}

function HouseFields({ form }: { form: SettingsFields }) {
  const prefixError = Object.entries(form.errors).find(([path]) => path.startsWith('isrcPrefixes'))?.[1];
  return (
    <Part section="house" note={t.houseHint}>
      <SimpleGrid minColWidth="min(100%, 220px)" spacing={16} style={{ alignItems: 'start' }}>
        <TextInput label={t.name} required {...form.getInputProps('house.name')} />
        <TextInput label={t.email} inputMode="email" {...form.getInputProps('house.email')} />
        <Textarea
          className={shared.wide}
          label={t.address}
          minRows={2}
          maxRows={4}
          {...form.getInputProps('house.address')}
        />
        {(['postcode', 'city', 'country', 'siren', 'vatNumber', 'bic'] as const).map((name) => (
          <TextInput
            key={name}
            label={t[name]}
            inputMode={name === 'siren' ? 'numeric' : undefined}
            {...form.getInputProps(`house.${name}`)}
          />
        ))}
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
      </SimpleGrid>
    </Part>
  );
}

function SecondFactorField({ form }: { form: SettingsFields }) {
  return (
    <Radio.Group
      label={t.secondFactor}
      description={t.secondFactorHint}
      descriptionProps={{ mt: 'xs' }}
      {...form.getInputProps('secondFactor')}
      value={form.values.secondFactor}
    >
      <Stack gap="xs" mt="xs">
        {SecondFactorPolicy.options.map((policy) => (
          <Radio key={policy} value={policy} label={t.secondFactorPolicy[policy]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function ContractFields({ form }: { form: SettingsFields }) {
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
    const { downloadPdf } = await import('#src/lib/pdf.ts');
    await downloadPdf({ ...contractDocument(example, Date.now()), fileName: t.previewFile });
  };
  return (
    <Part section="contract" note={t.contractHint}>
      <Numbers form={form} fields={[{ path: 'licenceYears', label: t.licenceYears, unit: t.licenceYearsUnit }]} />
      <TemplateField
        label={t.template}
        original={defaultContractTemplate}
        restoreLabel={t.restore}
        fields={contractPlaceholders}
        fieldsHint={t.fieldsHint}
        blocks={contractBlocks}
        {...fieldProps(form, 'licenceTemplate')}
        onPreview={preview}
      >
        <LicencePreview contract={example} />
      </TemplateField>
    </Part>
  );
}
