import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconMoodEmpty } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { type ComponentType, createContext, type ReactNode, useContext, useState } from 'react';
import { ApiError, errorSentence, isNotFound } from '#src/lib/api.ts';
import { frEntry as fr } from '#src/lib/entry.fr.ts';
import { hasUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { ChartSkeleton } from './charts-skeleton.tsx';
import { LinkButton } from './link-button.tsx';
import recordClasses from './record-page.module.css';
import classes from './states.module.css';

interface MessageProps {
  icon?: ComponentType<{ size?: number; stroke?: number }>;
  title: string;
  text?: ReactNode;
  children?: ReactNode;
  isPage?: boolean;
}

function Message({ icon: Icon, title, text, children, isPage }: MessageProps) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className={classes.message} data-page={isPage || undefined}>
      {Icon && (
        <div aria-hidden className={classes.icon}>
          <Icon size={26} stroke={1.5} />
        </div>
      )}
      <Title className={classes.title}>{title}</Title>
      {text && <div className={classes.text}>{text}</div>}
      {children && (
        <Group justify="center" gap="sm" mt="md">
          {children}
        </Group>
      )}
    </div>
  );
}

export interface EmptyStateProps extends Pick<MessageProps, 'icon' | 'title' | 'text'> {
  action?: ReactNode;
  link?: false | { to: string; label: string };
}

export function EmptyState({ icon = IconMoodEmpty, title, text, action, link }: EmptyStateProps) {
  return (
    <Message icon={icon} title={title} text={text}>
      {link ? (
        <LinkButton to={link.to} variant="default">
          {link.label}
        </LinkButton>
      ) : (
        action
      )}
    </Message>
  );
}

export function ErrorState({ query: { error, refetch } }: { query: { error: unknown; refetch: () => unknown } }) {
  if (isNotFound(error)) return <NotFound />;
  if (error instanceof ApiError && error.code === 'forbidden') return <NoRight />;
  return (
    <div role="alert">
      <Message icon={IconAlertTriangle} title={fr.errors.loadTitle} text={errorSentence(error)}>
        <Button onClick={() => void refetch()}>{fr.common.retry}</Button>
      </Message>
    </div>
  );
}

function HomeLink() {
  return <LinkButton to="/">{fr.errors.goHome}</LinkButton>;
}

export function NotFound() {
  return (
    <Message isPage icon={IconMoodEmpty} title={fr.errors.notFoundTitle} text={fr.errors.notFoundText}>
      <HomeLink />
    </Message>
  );
}

function NoRight() {
  return (
    <Message isPage icon={IconLock} title={fr.errors.noRightTitle} text={fr.errors.noRightText}>
      <HomeLink />
    </Message>
  );
}

/** When the capability is revoked while changes are unsaved, the screen stays, so that its text can be copied. */
export function RightGate({
  isAllowed,
  refused = <NoRight />,
  children,
}: {
  isAllowed: boolean;
  refused?: ReactNode;
  children: ReactNode;
}) {
  const [wasAllowed, setWasAllowed] = useState(isAllowed);
  if (isAllowed && !wasAllowed) setWasAllowed(true);
  return isAllowed || (wasAllowed && hasUnsavedChanges()) ? children : refused;
}

export function RenderError() {
  return (
    <div role="alert">
      <Message isPage icon={IconAlertTriangle} title={fr.errors.renderTitle} text={fr.errors.renderText}>
        <Button onClick={() => window.location.reload()}>{fr.errors.reload}</Button>
        <Button variant="default" component="a" href="/">
          {fr.errors.goHome}
        </Button>
      </Message>
    </div>
  );
}

export type PageShape = 'account' | 'form' | 'home' | 'payout' | 'record' | 'release' | 'rows' | 'statement';

export const ScreenShape = createContext<PageShape | undefined>(undefined);

/** As it says, as its screen says, or `record` on the page of one record. `isBody`: below the page's own header. */
export function PageSkeleton({ shape, isBody }: { shape?: PageShape; isBody?: boolean }) {
  const isOfRecord = useParams({ strict: false, select: ({ id }) => id !== undefined });
  const ofScreen = useContext(ScreenShape);
  const Body = bodies[shape ?? ofScreen ?? (isOfRecord ? 'record' : 'rows')];
  return (
    <div role="status" aria-label={fr.common.loading} data-body={isBody || undefined}>
      <Body />
    </div>
  );
}

const times = (count: number, line: (index: number) => ReactNode) => Array.from({ length: count }, (_, i) => line(i));

const head = ({ hasText = false, hasFigure = false, hasActions = true } = {}) => (
  <Group align="flex-start" justify="space-between" gap={24} mb={24} wrap="nowrap" className={classes.head}>
    <div>
      <Skeleton h={28} w={220} />
      {hasText && <Skeleton h={16} w={260} mt={6} />}
      {hasFigure && <Skeleton h={34} w={150} mt={8} />}
    </div>
    {hasActions && <Skeleton h={36} w={180} />}
  </Group>
);
const section = (key: number, content: ReactNode) => (
  <Stack key={key} gap={14}>
    <Skeleton h={20} w={140} />
    {content}
  </Stack>
);
const rows = (count: number, height = 34) => times(count, (row) => <Skeleton key={row} h={height} />);
const facts = (count: number) =>
  section(
    0,
    times(count, (line) => <Skeleton key={line} h={22} />),
  );
const fields = (count: number) => (
  <Stack gap={24} maw={760}>
    {times(count, (field) => (
      <Stack key={field} gap={8}>
        <Skeleton h={12} w={120} />
        <Skeleton h={36} />
      </Stack>
    ))}
  </Stack>
);
const columns = (main: ReactNode, side: ReactNode) => (
  <div className={recordClasses.columns} data-side>
    <Stack gap={32} miw={0}>
      {main}
    </Stack>
    <Stack gap={24}>{side}</Stack>
  </div>
);

const bodies: Record<PageShape, () => ReactNode> = {
  account: () => (
    <>
      {head({ hasText: true })}
      <Group gap="16px 40px" mb={24}>
        {times(3, (figure) => (
          <div key={figure}>
            <Skeleton h={12} w={90} mb={10} />
            <Skeleton h={28} w={130} />
          </div>
        ))}
      </Group>
      <Skeleton h={38} mb={24} />
      {columns(
        <>
          <ChartSkeleton />
          {section(0, rows(5))}
        </>,
        facts(6),
      )}
    </>
  ),
  payout: () => (
    <>
      {head({ hasText: true, hasFigure: true })}
      {columns(
        <>
          {section(
            0,
            <div className={classes.boxes}>
              {times(4, (step) => (
                <Skeleton key={step} h={72} />
              ))}
            </div>,
          )}
          <Skeleton h={170} />
        </>,
        facts(7),
      )}
    </>
  ),
  statement: () => (
    <>
      {head({ hasText: true, hasFigure: true })}
      {columns(
        <>
          {section(0, fields(2))}
          {section(1, rows(5, 22))}
          {section(2, rows(4))}
        </>,
        facts(9),
      )}
    </>
  ),
  release: () => (
    <>
      {head({ hasText: true, hasFigure: true })}
      {columns(
        <>
          {section(0, rows(6, 44))}
          {section(1, rows(5, 22))}
        </>,
        <>
          <Skeleton className={classes.cover} />
          {facts(5)}
        </>,
      )}
    </>
  ),
  home: () => (
    <>
      {head({ hasActions: false })}
      <div className={classes.boxes}>
        {times(6, (box) => (
          <Skeleton key={box} h={54} />
        ))}
      </div>
      <Stack gap={32} mt={32}>
        {section(0, <Skeleton h={150} />)}
        {section(1, rows(5, 56))}
        <ChartSkeleton />
      </Stack>
    </>
  ),
  record: () => (
    <>
      {head()}
      {columns(
        <>
          {section(0, rows(4, 22))}
          {section(1, rows(4, 22))}
        </>,
        facts(5),
      )}
    </>
  ),
  form: () => (
    <>
      {head({ hasActions: false })}
      {fields(5)}
    </>
  ),
  rows: () => (
    <>
      {head()}
      <Stack gap={10}>{rows(8)}</Stack>
    </>
  ),
};
