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
import { sepaAddresses, statementPeriods, vatRegimes } from '@regie/contract/state-names.ts';
import { contractDocument } from '@regie/documents/licence-contract.ts';
import { formatDateTime, formatInteger, formatMoney, formatPercent } from '@regie/values/formats.ts';
import { formatIban, normaliseIban } from '@regie/values/iban.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths, type SettingsSection } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { settingsSections } from '#src/app/screens.ts';
import { LicencePreview } from '#src/domain/documents/contract-preview.tsx';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { optionsOf } from '#src/lib/texts.ts';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { NumberField, type NumberFieldProps } from '#src/ui/number-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { exampleContract } from './contract-example.ts';
import { ContractTemplatesFields } from './contract-templates-fields.tsx';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';
import { LetterField, TemplateField } from './template-field.tsx';

const t = frSettings;

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
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === undefined ? Number.NaN : value]));

interface Part {
  names: readonly (keyof Stored)[];
  movesMoney?: true;
  note?: string;
  fields: (form: SettingsFields) => ReactNode;
}

const parts: Record<SettingsSection, Part> = {
  house: {
    names: ['house', 'isrcPrefixes', 'aiDeclaredFrom'],
    note: t.houseHint,
    fields: (form) => <HouseFields form={form} />,
  },
  contract: {
    names: ['licenceYears', 'licenceTemplate'],
    note: t.contractHint,
    fields: (form) => <ContractFields form={form} />,
  },
  'contract-templates': {
    names: ['contractTemplates'],
    note: t.contractTemplates.hint,
    fields: (form) => <ContractTemplatesFields form={form} />,
  },
  letters: {
    names: letterNames,
    note: t.lettersHint,
    fields: (form) => letterNames.map((name) => <LetterField key={name} name={name} form={form} />),
  },
  'statements-out': {
    names: ['statementPeriod'],
    fields: (form) => (
      <NativeSelect
        label={t.statementPeriod}
        description={t.statementPeriodHint}
        data={optionsOf(statementPeriods)}
        {...form.getInputProps('statementPeriod')}
      />
    ),
  },
  security: { names: ['secondFactor'], fields: (form) => <SecondFactorField form={form} /> },
  retention: {
    names: ['retention'],
    note: t.retention.hint,
    fields: (form) => (
      <>
        <Numbers form={form} fields={numbers.retention} />
        <p className={shared.note}>{t.retention.fixed}</p>
      </>
    ),
  },
  prices: {
    names: ['prices', 'vatPercent'],
    movesMoney: true,
    note: t.pricesHint,
    fields: (form) => <Numbers form={form} fields={numbers.prices} />,
  },
  shares: {
    names: shareNames,
    movesMoney: true,
    note: t.sharesHint,
    fields: (form) => <Numbers form={form} fields={numbers.shares} />,
  },
  payouts: {
    names: [...payoutNames, 'sepaAddress'],
    movesMoney: true,
    fields: (form) => (
      <>
        <Numbers form={form} fields={numbers.payouts} />
        <NativeSelect
          label={t.sepaAddress}
          description={t.sepaAddressHint}
          data={optionsOf(sepaAddresses)}
          {...form.getInputProps('sepaAddress')}
        />
      </>
    ),
  },
  bank: {
    names: ['house'],
    movesMoney: true,
    note: t.bankHint,
    fields: (form) => <BankFields form={form} />,
  },
};

/** What the overview shows beside a section's name. */
const summariesOf = (settings: Stored): Partial<Record<SettingsSection, string>> => ({
  house: settings.house.name,
  contract: `${formatInteger(settings.licenceYears)} ${t.licenceYearsUnit}`,
  'statements-out': statementPeriods[settings.statementPeriod],
  security: t.secondFactorPolicy[settings.secondFactor],
  prices: `${t.album} ${formatMoney(settings.prices.album, 'EUR')}`,
  shares: shareNames.map((name) => formatPercent(settings[name])).join(' · '),
  payouts: formatMoney(settings.payoutFeeEur, 'EUR'),
  bank: formatIban(settings.house.iban) || t.noBank,
});

export default function SettingsPage() {
  const { pathname } = usePageLocation();
  const section = settingsSections.find((name) => paths.settingsSection(name) === pathname);
  const settings = useQuery(apiQuery(['settings'], routes.getSettings));
  const [reloads, setReloads] = useState(0);
  const reload = async () => {
    await settings.refetch({ throwOnError: true });
    setReloads((count) => count + 1);
  };
  if (!settings.data) return <Loading query={settings} />;
  const { updatedAt, updatedBy } = settings.data;
  return (
    <>
      <PageHeader
        title={section ? frScreens.settingsSections[section] : frScreens.settings}
        text={
          section
            ? parts[section].note
            : updatedAt === null
              ? t.intro
              : t.changed(formatDateTime(updatedAt), updatedBy ?? fr.common.system)
        }
      />
      {settings.data.proposals.map((id) => (
        <RecordSigning key={id} subject="proposal" id={String(id)} />
      ))}
      {section ? (
        <div className={classes.page}>
          <SettingsEditor key={reloads} part={parts[section]} answer={settings.data} onReload={reload} />
        </div>
      ) : (
        <Overview settings={settings.data.settings} />
      )}
    </>
  );
}

function Overview({ settings }: { settings: Stored }) {
  const summaries = summariesOf(settings);
  const links = (movesMoney: boolean) =>
    settingsSections
      .filter((section) => (parts[section].movesMoney ?? false) === movesMoney)
      .map((section) => (
        <li key={section}>
          <Link to={paths.settingsSection(section)}>
            {frScreens.settingsSections[section]}
            <span className={shared.muted}>{summaries[section]}</span>
          </Link>
        </li>
      ));
  return (
    <Stack gap={32} maw={760}>
      <Section title={t.general}>
        <ul className={classes.sections}>{links(false)}</ul>
      </Section>
      <Section title={t.money}>
        <ul className={classes.sections}>
          {links(true)}
          <li>
            <Link to={paths.exchangeRates}>{frScreens.exchangeRates}</Link>
          </li>
        </ul>
      </Section>
    </Stack>
  );
}

interface EditorProps {
  part: Part;
  answer: SettingsAnswer;
  onReload: () => Promise<void>;
}

function SettingsEditor({ part, answer, onReload }: EditorProps) {
  // The values the fields were filled from; reloading the settings must not make a stale form look current.
  const [version, setVersion] = useState(answer.version);
  return (
    <Form
      schema={CheckedSettingsForm}
      initialValues={toValues(answer.settings)}
      toBody={({ retention, adjustmentApprovalEur, ...values }) => {
        const all: Record<string, unknown> = {
          ...refuseCleared(values),
          retention: refuseCleared(retention),
          adjustmentApprovalEur: adjustmentApprovalEur ?? null,
        };
        return { ...Object.fromEntries(part.names.map((name) => [name, all[name]])), version };
      }}
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
      {(form) => <div className={classes.fields}>{part.fields(form)}</div>}
    </Form>
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
      {(['postcode', 'city', 'country', 'siren', 'vatNumber', 'electronicAddress'] as const).map((name) => (
        <TextInput
          key={name}
          label={t[name]}
          inputMode={name === 'siren' ? 'numeric' : undefined}
          {...form.getInputProps(`house.${name}`)}
        />
      ))}
      <NativeSelect
        label={t.vatRegime}
        data={[{ value: '', label: t.noRegime }, ...optionsOf(vatRegimes)]}
        {...form.getInputProps('house.vatRegime')}
      />
      <TextInput
        type="date"
        label={t.aiDeclaredFrom}
        description={t.aiDeclaredFromHint}
        {...form.getInputProps('aiDeclaredFrom')}
        value={form.values.aiDeclaredFrom ?? ''}
        onChange={(event) => form.setFieldValue('aiDeclaredFrom', event.currentTarget.value || null)}
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
  );
}

function BankFields({ form }: { form: SettingsFields }) {
  return (
    <>
      <TextInput
        label={t.iban}
        {...form.getInputProps('house.iban')}
        onBlur={() => form.setFieldValue('house.iban', formatIban(normaliseIban(form.values.house.iban)))}
      />
      <TextInput label={t.bic} {...form.getInputProps('house.bic')} />
    </>
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
    <>
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
    </>
  );
}
