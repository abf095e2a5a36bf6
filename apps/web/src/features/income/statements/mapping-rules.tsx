import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { type JoinField, joinFields, type SkipCondition, skipConditions } from '@regie/contract/statements.ts';
import shared from '#src/ui/shared.module.css';
import type { MappingFieldsProps } from './mapping-fields.tsx';
import { columnNames, hasColumn, hasWords } from './mapping-form.ts';
import { ColumnSelect, RuleRows } from './rule-rows.tsx';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements.mapping.rules;
const maxSkips = 20;

export function RuleFields({ head, form }: MappingFieldsProps) {
  const { skips, joins } = form.values;
  const names = columnNames(head, form.values);
  const free = joinFields.filter(
    (field) => hasColumn(form.values, field) && !joins.some((join) => join.field === field),
  );
  return (
    <Stack gap="lg" className={classes.rules}>
      <Stack gap="sm">
        <p className={shared.under}>{t.skipText}</p>
        <RuleRows
          rows={skips}
          onChange={(rules) => form.setFieldValue('skips', rules)}
          addLabel={t.addSkip}
          removeLabel={t.removeSkip}
          added={skips.length < maxSkips ? { column: '', when: 'is', words: '' } : undefined}
        >
          {(skip, number, change) => (
            <>
              <ColumnSelect label={t.skipColumn(number)} names={names} row={skip} change={change} />
              <NativeSelect
                label={t.when(number)}
                value={skip.when}
                onChange={(event) => change({ when: event.currentTarget.value as SkipCondition })}
                data={skipConditions.map((value) => ({ value, label: t.condition[value] }))}
              />
              {hasWords(skip) && (
                <TextInput
                  label={t.words(number)}
                  placeholder={t.wordsExample}
                  value={skip.words}
                  onChange={(event) => change({ words: event.currentTarget.value })}
                />
              )}
            </>
          )}
        </RuleRows>
      </Stack>
      <Stack gap="sm">
        <p className={shared.under}>{t.joinText}</p>
        <RuleRows
          rows={joins}
          onChange={(pairs) => form.setFieldValue('joins', pairs)}
          addLabel={t.addJoin}
          removeLabel={t.removeJoin}
          added={free[0] && { field: free[0], column: '' }}
        >
          {(join, number, change) => (
            <>
              <NativeSelect
                label={t.joinField(number)}
                value={join.field}
                onChange={(event) => change({ field: event.currentTarget.value as JoinField })}
                data={[join.field, ...free].map((value) => ({ value, label: frStatements.field[value] }))}
              />
              <ColumnSelect label={t.joinColumn(number)} names={names} row={join} change={change} />
            </>
          )}
        </RuleRows>
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
