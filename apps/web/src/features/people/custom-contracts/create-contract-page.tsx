import { Box, Button, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import {
  type AskedContractField,
  askedContractFields,
  askedFieldNames,
  askedFieldsOf,
  knownContractFields,
} from '@regie/contract/custom-contracts.ts';
import { messages } from '@regie/contract/messages.ts';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import {
  type ContractTemplateItem,
  type CustomContractDocument,
  CustomContractForm,
} from '@regie/contract/routes/custom-contracts.ts';
import { routes } from '@regie/contract/routes.ts';
import { customContractDocument } from '@regie/documents/custom-contract.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountField } from '#src/domain/account-field.tsx';
import { CustomContractPreview } from '#src/domain/documents/contract-preview.tsx';
import { useAct } from '#src/lib/act.ts';
import { ApiError, api, apiQuery } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { useCan } from '#src/lib/session.ts';
import { Message } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { FieldChips, useInsertion } from '#src/ui/field-chips.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import { PageSkeleton } from '#src/ui/states.tsx';
import { frCustomContracts } from './custom-contracts.fr.ts';
import classes from './custom-contracts.module.css';

const t = frCustomContracts;

interface Values extends Record<string, unknown> {
  account: LookupItem | null;
  kind: string;
  title: string;
  template: string;
  fields: Record<AskedContractField, string>;
}

const emptyFields = Object.fromEntries(askedFieldNames.map((name) => [name, ''])) as Values['fields'];

/** Generates the PDF; every error has the same message (product §28.2). @throws ApiError */
async function download(contract: CustomContractDocument): Promise<string> {
  try {
    const { downloadPdf } = await import('#src/lib/pdf.ts');
    return await downloadPdf(customContractDocument(contract));
  } catch {
    throw new ApiError(0, 'server_error', messages.retry);
  }
}

/** Creates a contract for one account, from a template to the PDF (product §22.13). */
export default function CreateContractPage() {
  const [round, setRound] = useState(0);
  const { search } = useListState();
  const id = Number(search.userId);
  const templates = useQuery(apiQuery(['contract-templates'], routes.listContractTemplates));
  const account = Number.isSafeInteger(id) && id > 0 && search.name ? { id, label: search.name, hint: '' } : null;
  return (
    <div className={classes.page}>
      <PageHeader
        title={frScreens.createContract}
        owner={account ? { id: account.id, name: account.label } : undefined}
      />
      <Box component="p" mb={20} className={shared.muted}>
        {t.text}
      </Box>
      <Loaded query={templates} placeholder={<PageSkeleton shape="form" isBody />}>
        {(data) => <ContractForm key={round} templates={data} account={account} onAgain={() => setRound(round + 1)} />}
      </Loaded>
    </div>
  );
}

interface ContractFormProps {
  templates: readonly ContractTemplateItem[];
  account: LookupItem | null;
  onAgain: () => void;
}

function ContractForm({ templates, account, onAgain }: ContractFormProps) {
  const [created, setCreated] = useState<{ contract: CustomContractDocument; fileName: string }>();
  const [first] = templates;
  const initialValues: Values = {
    account,
    kind: first?.kind ?? '',
    title: first?.label ?? '',
    template: first?.template ?? '',
    fields: emptyFields,
  };
  return (
    <Form
      schema={CustomContractForm}
      initialValues={initialValues}
      // Values of fields that the text no longer names are hidden: they must not block the form.
      toBody={({ account: chosen, fields, ...values }) => ({
        ...values,
        fields: Object.fromEntries(askedFieldsOf(values.template).map((name) => [name, fields[name]])),
        userId: chosen?.id,
      })}
      // After a failed PDF, the same key returns the contract already stored.
      submit={async (body, options) => {
        const answer = await api(routes.createCustomContract, { body, ...options });
        setCreated({ contract: answer.data, fileName: await download(answer.data) });
        return answer;
      }}
      submitLabel={t.submit}
      busyLabel={t.busy}
      hasSaveBar="new"
      isHiddenOnSuccess
      afterSuccess={created && <AfterSuccess {...created} onAgain={onAgain} />}
    >
      {(form) => (
        <div className={classes.beside}>
          <Stack gap={16}>
            <AccountField label={t.account} required {...fieldProps(form, 'account', 'userId')} />
            <div className={shared.fields}>
              <KindField templates={templates} form={form} />
              <TextInput label={t.name} description={t.nameHint} required {...form.getInputProps('title')} />
            </div>
            <AskedFields form={form} />
            <TemplateText form={form} />
          </Stack>
          <div className={classes.preview}>
            <Preview values={form.values} />
          </div>
        </div>
      )}
    </Form>
  );
}

function KindField({ templates, form }: Pick<ContractFormProps, 'templates'> & { form: UseFormReturnType<Values> }) {
  const former = templates.find(({ kind }) => kind === form.values.kind);
  const { subject: nextTemplate, ask, dialog } = useAsked<ContractTemplateItem>();
  const change = ({ kind, label, template }: ContractTemplateItem) => {
    // A custom name is kept.
    if (form.values.title === former?.label) form.setFieldValue('title', label);
    form.setFieldValue('template', template);
    form.setFieldValue('kind', kind);
  };
  return (
    <>
      <Select
        label={t.kind}
        description={t.kindHint}
        required
        allowDeselect={false}
        data={templates.map(({ kind, label }) => ({ value: kind, label }))}
        value={form.values.kind}
        onChange={(value) => {
          const next = templates.find(({ kind }) => kind === value);
          if (!next || next.kind === form.values.kind) return;
          if (form.values.template === former?.template) return change(next);
          ask(next);
        }}
        error={form.errors.kind}
      />
      {nextTemplate && (
        <ConfirmModal
          {...dialog}
          name={nextTemplate.label}
          consequence={t.replaceConsequence}
          verb={t.replaceVerb}
          onConfirm={async () => change(nextTemplate)}
        />
      )}
    </>
  );
}

function AskedFields({ form }: { form: UseFormReturnType<Values> }) {
  const asked = askedFieldsOf(form.values.template);
  if (asked.length === 0) return null;
  return (
    <fieldset className={shared.fieldset}>
      <legend>
        {t.fields}
        <Box component="span" display="block" mt={2} fw={400} className={shared.note}>
          {t.fieldsHint}
        </Box>
      </legend>
      <div className={shared.fields}>
        {asked.map((name) => {
          const { label, kind } = askedContractFields[name];
          const props = form.getInputProps(`fields.${name}`);
          if (kind === 'long')
            return <Textarea key={name} className={shared.wide} label={label} minRows={3} {...props} />;
          return (
            <TextInput
              key={name}
              label={label}
              description={name === 'part' || name === 'part_video' ? t.ownShare : undefined}
              placeholder={kind === 'day' ? 'jj/mm/aaaa' : undefined}
              inputMode={kind === 'percent' || kind === 'money' ? 'decimal' : 'text'}
              rightSection={kind === 'percent' ? '%' : kind === 'money' ? '€' : undefined}
              {...props}
            />
          );
        })}
      </div>
    </fieldset>
  );
}

const insertable: Record<string, string> = {
  ...knownContractFields,
  ...Object.fromEntries(askedFieldNames.map((name) => [name, askedContractFields[name].label])),
  signatures: t.signatures,
};

function TemplateText({ form }: { form: UseFormReturnType<Values> }) {
  const { area, insert } = useInsertion(form.values.template, (text) => form.setFieldValue('template', text));
  return (
    <div>
      <Textarea
        ref={area}
        label={t.template}
        description={t.templateHint}
        required
        minRows={14}
        maxRows={18}
        spellCheck
        lang="fr"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...form.getInputProps('template')}
      />
      <Box component="p" mt={2} className={shared.note} id="contract-insert">
        {t.insert}
      </Box>
      <FieldChips fields={insertable} onInsert={insert} aria-labelledby="contract-insert" />
    </div>
  );
}

const units = { percent: '\u00a0%', money: '\u00a0€' };

function Preview({ values }: { values: Values }) {
  const { account, template } = values;
  const accountValues = useQuery(
    apiQuery(['contract-values', account?.id], routes.getContractValues, {
      query: account ? { userId: account.id } : {},
    }),
  );
  return <CustomContractPreview contract={{ template, values: shownValues(values, accountValues.data ?? {}) }} />;
}

/** What the records do not give yet reads as its name. */
function shownValues({ fields }: Values, accountValues: Record<string, string>): Record<string, string> {
  const names = Object.entries(knownContractFields).map(([name, label]) => [name, `[${label}]`]);
  const typed = askedFieldNames.flatMap((name) => {
    const { kind } = askedContractFields[name];
    const unit = kind === 'percent' || kind === 'money' ? units[kind] : '';
    return fields[name] ? [[name, `${fields[name]}${unit}`]] : [];
  });
  return { ...Object.fromEntries(names), ...accountValues, ...Object.fromEntries(typed) };
}

interface AfterSuccessProps {
  contract: CustomContractDocument;
  fileName: string;
  onAgain: () => void;
}

function AfterSuccess({ contract, fileName, onAgain }: AfterSuccessProps) {
  const can = useCan();
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  const again = () => act(async () => void (await download(contract)));
  return (
    <>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <Box component="p" mt={2} className={shared.note}>
        {fileName}
      </Box>
      <Group gap={10}>
        {can('manage_profiles') && <LinkButton to={paths.profile(contract.Account.id)}>{t.toAccount}</LinkButton>}
        <Button variant="default" loading={isBusy} onClick={again}>
          {t.download}
        </Button>
        <Button variant="default" onClick={onAgain}>
          {t.again}
        </Button>
      </Group>
    </>
  );
}
