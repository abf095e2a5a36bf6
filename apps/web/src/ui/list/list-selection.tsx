import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { errorSentence } from '#src/lib/api.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import classes from './list-page.module.css';

/** The maximum number of records in one bulk call. */
const mostSelected = 500;

interface SelectionBarProps {
  count: number;
  /** The number of rows of the filter, when it is exact. */
  total: number | undefined;
  onSelectAll: () => Promise<void>;
  onClear: () => void;
  /** Actions on the selected rows. */
  children: ReactNode;
}

export function SelectionBar({ count, total, onSelectAll, onClear, children }: SelectionBarProps) {
  return (
    <section className={classes.selectionBar} aria-label={fr.list.selected(count)}>
      <strong>{fr.list.selected(count)}</strong>
      {children}
      {total !== undefined && total > count && total <= mostSelected && (
        <SelectAll total={total} onSelect={onSelectAll} />
      )}
      <Button variant="subtle" size="compact-sm" onClick={onClear}>
        {fr.list.clearSelection}
      </Button>
    </section>
  );
}

/** Selects all rows of the filter, including other pages. */
function SelectAll({ total, onSelect }: { total: number; onSelect: () => Promise<void> }) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const select = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      await onSelect();
    } catch (error) {
      setFailure(errorSentence(error));
    }
    setIsBusy(false);
  };
  return (
    <>
      <Button variant="subtle" size="compact-sm" loading={isBusy} onClick={() => void select()}>
        {fr.list.selectFiltered(formatInteger(total))}
      </Button>
      {failure && <span role="alert">{failure}</span>}
    </>
  );
}
