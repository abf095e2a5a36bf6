import { Button, Group } from '@mantine/core';
import { formatInteger } from '@regie/values/formats.ts';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { fr } from '#src/lib/fr.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import shared from '#src/ui/shared.module.css';
import type { ListState } from './list-state.ts';

export const pageSize = 50;

interface PagerProps {
  state: ListState;
  count: number;
  total: string;
  nextCursor: string | null;
}

export function Pager({ state, count, total, nextCursor }: PagerProps) {
  const from = (state.page - 1) * pageSize + 1;
  return (
    <Group
      component="nav"
      justify="space-between"
      gap={12}
      pt={14}
      pb={4}
      className={`${shared.note} figures`}
      aria-label={fr.list.pages}
    >
      <span>{fr.list.range(formatInteger(from), formatInteger(from + count - 1), total)}</span>
      <Group gap={8}>
        <Button
          variant="default"
          disabled={state.page <= 1}
          leftSection={buttonIcon(IconChevronLeft)}
          onClick={state.goToPreviousPage}
        >
          {fr.list.previous}
        </Button>
        <Button
          variant="default"
          disabled={nextCursor === null}
          rightSection={buttonIcon(IconChevronRight)}
          onClick={() => nextCursor !== null && state.goToNextPage(nextCursor)}
        >
          {fr.list.next}
        </Button>
      </Group>
    </Group>
  );
}
