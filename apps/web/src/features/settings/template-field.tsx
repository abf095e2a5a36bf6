import { Button, Textarea } from '@mantine/core';
import { contractBlocks, contractPlaceholders, defaultContractTemplate } from '@regie/contract/licence-contract.ts';
import { type ReactNode, useRef } from 'react';
import { fr } from '#src/fr.ts';
import classes from './settings.module.css';

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
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (text: string) => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {};
    onChange(value.slice(0, selectionStart) + text + value.slice(selectionEnd));
    const caret = selectionStart + text.length;
    // Once the new text is drawn.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(caret, caret);
    });
  };
  const chips = (fields: Record<string, string>) => (
    <ul className={classes.chips}>
      {Object.entries(fields).map(([name, meaning]) => (
        <li key={name}>
          <button
            type="button"
            className={classes.chip}
            title={meaning}
            aria-label={t.insert(name, meaning)}
            onClick={() => insert(`{${name}}`)}
          >
            {`{${name}}`}
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <Textarea
        ref={area}
        label={t.template}
        description={t.templateHint}
        required
        autosize
        minRows={14}
        maxRows={28}
        spellCheck
        lang="fr"
        classNames={{ input: classes.template }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
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
        {chips(contractPlaceholders)}
        <h2 className={classes.subtitle}>{t.blocks}</h2>
        {chips(contractBlocks)}
      </section>
    </>
  );
}
