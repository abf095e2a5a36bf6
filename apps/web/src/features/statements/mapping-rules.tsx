import { Button, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type JoinField, joinFields, type SkipCondition, skipConditions } from '@regie/contract/statements.ts';
import { IconPlus } from '@tabler/icons-react';
import { RemoveIcon } from '#src/ui/remove-button.tsx';
import shared from '#src/ui/shared.module.css';
import type { MappingFieldsProps } from './mapping-fields.tsx';
import { columnNames, hasColumn, hasWords } from './mapping-form.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.mapping.rules;
const maxSkips = 20;

/** What is more than names of columns: rows that are no income, values in two columns, what the source keeps. */
export function RuleFields({ head, form }: MappingFieldsProps) {
  const { skips, joins } = form.values;
  const names = [...new Set(columnNames(head, form.values).filter((name) => name !== ''))];
  /** The columns to choose from, with one that this file lacks. */
  const columns = (chosen: string) => ['', ...names, ...(names.includes(chosen) ? [] : [chosen])].filter(isFirst);
  const setSkip = (index: number, change: Partial<(typeof skips)[number]>) =>
    form.setFieldValue(
      'skips',
      skips.map((skip, at) => (at === index ? { ...skip, ...change } : skip)),
    );
  const setJoin = (index: number, change: Partial<(typeof joins)[number]>) =>
    form.setFieldValue(
      'joins',
      joins.map((join, at) => (at === index ? { ...join, ...change } : join)),
    );
  const free = joinFields.filter(
    (field) => hasColumn(form.values, field) && !joins.some((join) => join.field === field),
  );
  return (
    <Stack gap="lg" className={classes.rules}>
      <Stack gap="sm">
        <p className={shared.under}>{t.skipText}</p>
        {skips.map((skip, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules are told by their place
          <div key={index} className={classes.rule}>
            <NativeSelect
              label={t.skipColumn(index + 1)}
              value={skip.column}
              onChange={(event) => setSkip(index, { column: event.currentTarget.value })}
              data={columns(skip.column)}
            />
            <NativeSelect
              label={t.when(index + 1)}
              value={skip.when}
              onChange={(event) => setSkip(index, { when: event.currentTarget.value as SkipCondition })}
              data={skipConditions.map((value) => ({ value, label: t.condition[value] }))}
            />
            {hasWords(skip) && (
              <TextInput
                label={t.words(index + 1)}
                placeholder={t.wordsExample}
                value={skip.words}
                onChange={(event) => setSkip(index, { words: event.currentTarget.value })}
              />
            )}
            <RemoveIcon
              label={t.removeSkip(index + 1)}
              onClick={() =>
                form.setFieldValue(
                  'skips',
                  skips.filter((_, at) => at !== index),
                )
              }
            />
          </div>
        ))}
        {skips.length < maxSkips && (
          <AddButton
            label={t.addSkip}
            onClick={() => form.setFieldValue('skips', [...skips, { column: '', when: 'is', words: '' }])}
          />
        )}
      </Stack>
      <Stack gap="sm">
        <p className={shared.under}>{t.joinText}</p>
        {joins.map((join, index) => (
          <div key={join.field} className={classes.rule}>
            <NativeSelect
              label={t.joinField(index + 1)}
              value={join.field}
              onChange={(event) => setJoin(index, { field: event.currentTarget.value as JoinField })}
              data={[join.field, ...free].map((value) => ({ value, label: frStatements.field[value] }))}
            />
            <NativeSelect
              label={t.joinColumn(index + 1)}
              value={join.column}
              onChange={(event) => setJoin(index, { column: event.currentTarget.value })}
              data={columns(join.column)}
            />
            <RemoveIcon
              label={t.removeJoin(index + 1)}
              onClick={() =>
                form.setFieldValue(
                  'joins',
                  joins.filter((_, at) => at !== index),
                )
              }
            />
          </div>
        ))}
        {free[0] && (
          <AddButton
            label={t.addJoin}
            onClick={() => form.setFieldValue('joins', [...joins, { field: free[0] as JoinField, column: '' }])}
          />
        )}
      </Stack>
      <TextInput
        label={t.deduction}
        description={t.deductionHint}
        inputMode="decimal"
        rightSection="%"
        maw={360}
        {...form.getInputProps('deduction')}
      />
    </Stack>
  );
}

const isFirst = (name: string, index: number, all: readonly string[]) => all.indexOf(name) === index;

const AddButton = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <div>
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<IconPlus size={14} stroke={1.8} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </Button>
  </div>
);
