import { Button, Group, Select, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import {
  type ContractTemplates,
  defaultContractTemplates,
  isOriginalKind,
  maxContractTemplates,
} from '@regie/contract/contract-templates.ts';
import { askedContractFields, findCustomTemplateFault, knownContractFields } from '@regie/contract/custom-contracts.ts';
import type { House } from '@regie/contract/settings.ts';
import { customContractDocument } from '@regie/documents/custom-contract.ts';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { CustomContractPreview } from '#src/domain/documents/contract-preview.tsx';
import { useAsked } from '#src/lib/asked.ts';
import { newId } from '#src/lib/new-id.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { exampleCustomContract } from './contract-example.ts';
import { frSettings } from './settings.fr.ts';
import { TemplateField } from './template-field.tsx';

const t = frSettings.contractTemplates;

const fields = {
  ...knownContractFields,
  ...Object.fromEntries(Object.entries(askedContractFields).map(([name, { label }]) => [name, label])),
};
const blocks = { signatures: t.signatures };

interface Values {
  house: House;
  contractTemplates: ContractTemplates;
}

export function ContractTemplatesFields({ form }: { form: UseFormReturnType<Values> }) {
  const { contractTemplates: templates, house } = form.values;
  const kinds = Object.keys(templates);
  const [chosen, setChosen] = useState(kinds[0] ?? '');
  const kind = templates[chosen] ? chosen : (kinds[0] ?? '');
  const current = templates[kind];
  const { ask, dialog } = useAsked<void>();

  // A template with errors is selected, so that the form can focus it.
  const faulty = (one: string) => Object.keys(form.errors).some((path) => path.startsWith(`contractTemplates.${one}.`));
  const [seenErrors, setSeenErrors] = useState(form.errors);
  if (seenErrors !== form.errors) {
    setSeenErrors(form.errors);
    const other = faulty(kind) ? undefined : kinds.find(faulty);
    if (other !== undefined) setChosen(other);
  }

  if (!current) return null;
  const set = (change: Partial<typeof current>) =>
    form.setFieldValue('contractTemplates', { ...templates, [kind]: { ...current, ...change } });
  const setText = (template: string) => {
    form.clearFieldError(`contractTemplates.${kind}.template`);
    set({ template });
  };
  const add = () => {
    const added = `modele-${newId().slice(0, 8)}`;
    form.setFieldValue('contractTemplates', {
      ...templates,
      [added]: { label: '', template: defaultContractTemplates.libre?.template ?? '' },
    });
    setChosen(added);
  };
  const remove = async () => {
    const { [kind]: _removed, ...rest } = templates;
    form.setFieldValue('contractTemplates', rest);
    setChosen(kinds[0] ?? '');
  };
  const preview = async () => {
    const fault = findCustomTemplateFault(current.template);
    if (fault !== undefined) return form.setFieldError(`contractTemplates.${kind}.template`, fault);
    const { downloadPdf } = await import('#src/lib/pdf.ts');
    await downloadPdf(customContractDocument(exampleCustomContract(house, kind, current)));
  };
  return (
    <>
      <Group align="end" gap="sm">
        <Select
          flex="1 1 240px"
          label={t.kind}
          allowDeselect={false}
          data={kinds.map((value) => ({ value, label: templates[value]?.label || t.unnamed }))}
          value={kind}
          onChange={(value) => value !== null && setChosen(value)}
        />
        <Button
          variant="default"
          leftSection={buttonIcon(IconPlus)}
          disabled={kinds.length >= maxContractTemplates}
          onClick={add}
        >
          {t.add}
        </Button>
      </Group>
      <TextInput
        key={`${kind}-label`}
        label={t.name}
        description={isOriginalKind(kind) ? undefined : t.nameHint}
        required
        autoFocus={current.label === ''}
        {...form.getInputProps(`contractTemplates.${kind}.label`)}
        value={current.label}
        onChange={(event) => {
          form.clearFieldError(`contractTemplates.${kind}.label`);
          set({ label: event.currentTarget.value });
        }}
      />
      <TemplateField
        key={kind}
        label={t.text}
        value={current.template}
        onChange={setText}
        original={defaultContractTemplates[kind]?.template}
        restoreLabel={frSettings.restoreText}
        fields={fields}
        fieldsHint={t.fieldsHint}
        blocks={blocks}
        error={form.errors[`contractTemplates.${kind}.template`]}
        onPreview={preview}
        secondary={
          !isOriginalKind(kind) && (
            <Button variant="subtle" leftSection={buttonIcon(IconTrash)} onClick={() => ask()}>
              {t.remove}
            </Button>
          )
        }
      >
        <CustomContractPreview contract={exampleCustomContract(house, kind, current)} />
      </TemplateField>
      <ConfirmModal
        {...dialog}
        name={current.label || t.unnamed}
        consequence={t.removeConsequence}
        verb={t.remove}
        onConfirm={remove}
      />
    </>
  );
}
