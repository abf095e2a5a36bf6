import { ActionIcon, Box, Button, CloseButton, Group, Indicator, Popover, Progress, Stack } from '@mantine/core';
import { formatBytes, formatDuration, formatInteger } from '@regie/values/formats.ts';
import { IconProgress } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { dismissWork, useWorkItems, type WorkItem, workRate } from '#src/lib/work-tray.ts';
import shared from '#src/ui/shared.module.css';
import { frTray } from './work-tray.fr.ts';
import classes from './work-tray.module.css';

export function WorkTray() {
  const items = useWorkItems();
  const [isOpen, setIsOpen] = useState(false);
  const running = items.filter((item) => item.state === 'running').length;
  const isWaiting = running === 0 && items.some(({ state }) => state === 'attention' || state === 'failed');
  const last = items.at(-1);
  if (items.length === 0) return null;
  return (
    <>
      <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" width={340} shadow="md" trapFocus returnFocus>
        <Indicator
          disabled={running === 0 && !isWaiting}
          processing={!isWaiting}
          color={isWaiting ? 'yellow' : undefined}
          size={9}
          offset={5}
        >
          <Popover.Target>
            <ActionIcon
              variant="default"
              size={34}
              radius="xl"
              aria-label={isWaiting ? frTray.waiting : frTray.open(running)}
              onClick={() => setIsOpen(!isOpen)}
            >
              <IconProgress size={18} stroke={1.7} />
            </ActionIcon>
          </Popover.Target>
        </Indicator>
        <Popover.Dropdown p={0} aria-label={frTray.title}>
          <Box component="ul" mah="60vh" style={{ overflowY: 'auto' }}>
            {items.map((item) => (
              <TrayItem key={item.id} item={item} onNavigate={() => setIsOpen(false)} />
            ))}
          </Box>
        </Popover.Dropdown>
      </Popover>
      <span role="status" className="visually-hidden">
        {last?.result ? [last.title, last.word, last.result].filter(Boolean).join(' : ') : ''}
      </span>
    </>
  );
}

const stateLabels = {
  running: frTray.running,
  done: frTray.done,
  attention: frTray.attention,
  failed: frTray.failed,
  cancelled: frTray.cancelled,
};

function TrayItem({ item, onNavigate }: { item: WorkItem; onNavigate: () => void }) {
  const { perSecond, secondsLeft } = workRate(item);
  const percent = item.total ? Math.min(100, (item.done / item.total) * 100) : undefined;
  const isBytes = item.unit === 'bytes';
  const counted = (text: string) => (isBytes ? text : `${text} ${item.unit}`);
  const amount = (value: number) => (isBytes ? formatBytes(value) : formatInteger(value));
  const figures = [
    counted(item.total === undefined ? amount(item.done) : `${amount(item.done)} / ${amount(item.total)}`),
    perSecond === undefined ? undefined : `${counted(amount(perSecond))}/s`,
    secondsLeft === undefined ? undefined : frTray.left(formatDuration(secondsLeft)),
  ];
  const isRunning = item.state === 'running';
  return (
    <Stack component="li" gap={6} px={14} py={12} fz={13} className={classes.item}>
      <Group align="flex-start" justify="space-between" gap={8} wrap="nowrap">
        <Box component="strong" miw={0} fw={600} className={shared.wrap}>
          {item.title}
        </Box>
        {!isRunning && (
          <CloseButton
            size="sm"
            aria-label={frTray.dismissWork(item.title)}
            onClick={({ currentTarget }) => {
              const buttons = [...(currentTarget.closest('ul')?.querySelectorAll<HTMLElement>('[data-dismiss]') ?? [])];
              const index = buttons.indexOf(currentTarget);
              (buttons[index + 1] ?? buttons[index - 1])?.focus();
              dismissWork(item.id);
            }}
            data-dismiss
          />
        )}
      </Group>
      {isRunning ? (
        <>
          <Progress.Root size={6}>
            <Progress.Section value={percent ?? 100} animated={percent === undefined} aria-label={item.title} />
          </Progress.Root>
          <p className={shared.muted}>{item.note ?? figures.filter((figure) => figure !== undefined).join(' · ')}</p>
          <Group gap={8} wrap="nowrap">
            {item.toggle && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={item.toggle.run}
                aria-label={`${item.toggle.label}\u00a0: ${item.title}`}
              >
                {item.toggle.label}
              </Button>
            )}
            {item.cancel && (
              <Button
                variant="default"
                size="compact-sm"
                onClick={item.cancel}
                aria-label={frTray.cancelWork(item.title)}
              >
                {fr.common.cancel}
              </Button>
            )}
          </Group>
        </>
      ) : (
        <p className={classes.result} data-state={item.state}>
          <span className={classes.state}>{item.word ?? stateLabels[item.state]}</span> {item.result}
        </p>
      )}
      {item.href && (
        <Link
          to={item.href.replace(/\?.*/, '')}
          search={parseSearch(item.href.replace(/^[^?]*/, ''))}
          onClick={onNavigate}
          className={classes.link}
        >
          {item.see ?? frTray.see}
        </Link>
      )}
    </Stack>
  );
}
