import { Button } from '@mantine/core';
import { contractBlocks, contractPlaceholders, defaultContractTemplate } from '@regie/contract/licence-contract.ts';
import type { ReactNode } from 'react';
import { fr } from '#src/fr.ts';
import classes from './settings.module.css';
import { FieldChips, TemplateArea, useInsertion } from './template-area.tsx';

const t = fr.settings;

interface TemplateFieldProps {
  value: string;
  onChange: (template: string) => void;
  error?: ReactNode;
  onPreview: () => void;
  isPreviewing: boolean;
}

/** The contract's text, with the fields that may be inserted where the cursor stands. */
export function TemplateField({ value, onChange, error, onPreview, isPreviewing }: TemplateFieldProps) {
  const insertion = useInsertion(value, onChange);
  return (
    <>
      <TemplateArea
        insertion={insertion}
        label={t.template}
        description={t.templateHint}
        minRows={14}
        maxRows={28}
        value={value}
        onChange={onChange}
        error={error}
      />
      <div className={classes.tools}>
        <Button variant="default" loading={isPreviewing} onClick={onPreview}>
          {t.preview}
        </Button>
        {value !== defaultContractTemplate && (
          <Button variant="subtle" onClick={() => onChange(defaultContractTemplate)}>
            {t.restore}
          </Button>
        )}
      </div>
      <section aria-labelledby="contract-fields">
        <h2 id="contract-fields" className={classes.subtitle}>
          {t.fields}
        </h2>
        <p className={classes.hint}>{t.fieldsHint}</p>
        <FieldChips fields={contractPlaceholders} onInsert={insertion.insert} />
        <h2 className={classes.subtitle}>{t.blocks}</h2>
        <FieldChips fields={contractBlocks} onInsert={insertion.insert} />
      </section>
    </>
  );
}
