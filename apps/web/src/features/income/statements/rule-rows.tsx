import { Button, NativeSelect, type NativeSelectProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { RemoveIcon } from '#src/ui/remove-button.tsx';

interface RuleRowsProps<Row> {
  rows: Row[];
  onChange: (rows: NoInfer<Row>[]) => void;
  className: string | undefined;
  addLabel: string;
  removeLabel: (number: number) => string;
  /** The next row to add; undefined when there may be no more. */
  added: NoInfer<Row> | undefined;
  fewest?: number;
  children: (row: Row, number: number, change: (values: Partial<NoInfer<Row>>) => void) => ReactNode;
}

/** The fields of each row in one line, which may be removed, and the button that adds a row. */
export function RuleRows<Row>(props: RuleRowsProps<Row>) {
  const { rows, onChange, added, fewest = 0 } = props;
  const replace = (index: number, ...by: Row[]) => onChange(rows.toSpliced(index, 1, ...by));
  return (
    <>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are told by their place
        <div key={index} className={props.className}>
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

/** The columns of a file to choose a row's from, with a chosen one that it lacks. */
export const ColumnSelect = ({ names, row, change, ...props }: ColumnSelectProps) => (
  <NativeSelect
    {...props}
    value={row.column}
    onChange={(event) => change({ column: event.currentTarget.value })}
    data={[...new Set(['', ...names, row.column])]}
  />
);
