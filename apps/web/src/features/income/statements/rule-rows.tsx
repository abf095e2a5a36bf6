import { Button, NativeSelect, type NativeSelectProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { RemoveIcon } from '#src/ui/remove-button.tsx';
import classes from './statements.module.css';

interface RuleRowsProps<Row> {
  rows: Row[];
  onChange: (rows: NoInfer<Row>[]) => void;
  addLabel: string;
  removeLabel: (number: number) => string;
  added: NoInfer<Row> | undefined;
  fewest?: number;
  children: (row: Row, number: number, change: (values: Partial<NoInfer<Row>>) => void) => ReactNode;
}

export function RuleRows<Row>(props: RuleRowsProps<Row>) {
  const { rows, onChange, added, fewest = 0 } = props;
  const replace = (index: number, ...by: Row[]) => onChange(rows.toSpliced(index, 1, ...by));
  return (
    <>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are told by their place
        <div key={index} className={classes.rule}>
          {props.children(row, index + 1, (values) => replace(index, { ...row, ...values }))}
          {rows.length > fewest && <RemoveIcon label={props.removeLabel(index + 1)} onClick={() => replace(index)} />}
        </div>
      ))}
      {added !== undefined && (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={buttonIcon(IconPlus, 14)}
            onClick={() => onChange([...rows, added])}
          >
            {props.addLabel}
          </Button>
        </div>
      )}
    </>
  );
}

interface ColumnSelectProps extends NativeSelectProps {
  row: { column: string };
  change: (values: { column: string }) => void;
  names: readonly string[];
}

export const ColumnSelect = ({ names, row, change, ...props }: ColumnSelectProps) => (
  <NativeSelect
    {...props}
    value={row.column}
    onChange={(event) => change({ column: event.currentTarget.value })}
    data={[...new Set(['', ...names, row.column])]}
  />
);
