import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconMoodEmpty } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useState } from 'react';
import { ApiError, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { hasUnsavedChanges } from '#src/lib/unsaved-changes.ts';
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
        <span className={classes.icon} aria-hidden>
          <Icon size={26} stroke={1.5} />
        </span>
      )}
      <Title className={classes.title}>{title}</Title>
      {text && <p className={classes.text}>{text}</p>}
      {children && (
        <Group justify="center" gap="sm" mt="md">
          {children}
        </Group>
      )}
    </div>
  );
}

/** One sentence on what the page will show, and the action that creates the first record. */
export function EmptyState({
  title,
  text,
  action,
  icon,
}: {
  title: string;
  text?: ReactNode;
  action?: ReactNode;
  icon?: MessageProps['icon'];
}) {
  return (
    <Message icon={icon ?? IconMoodEmpty} title={title} text={text}>
      {action}
    </Message>
  );
}

/** A call's error, and the next step; 404 and 403 have their own pages. */
export function ErrorState({ query: { error, refetch } }: { query: { error: unknown; refetch: () => unknown } }) {
  if (error instanceof ApiError && (error.code === 'not_found' || error.status === 404)) return <NotFound />;
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
  return (
    <Button component={Link} to="/">
      {fr.errors.goHome}
    </Button>
  );
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

/**
 * Content that requires a capability. When it is revoked while the screen has unsaved changes, the screen stays: saving
 * is refused, but the text can be copied.
 */
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

/** Shown when a screen fails to render; reloading restarts it. */
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

type PageShape = 'record' | 'form' | 'rows';

/** Placeholder of a loading page, shaped like what comes; a page of one record is `record` unless it says otherwise. */
export function PageSkeleton({ shape }: { shape?: PageShape }) {
  const isOfRecord = useParams({ strict: false, select: ({ id }) => id !== undefined });
  const Body = bodies[shape ?? (isOfRecord ? 'record' : 'rows')];
  return (
    <div role="status" aria-label={fr.common.loading}>
      <Skeleton h={26} w={220} mb={24} />
      <Body />
    </div>
  );
}

const times = (count: number, line: (index: number) => ReactNode) => Array.from({ length: count }, (_, i) => line(i));

const bodies: Record<PageShape, () => ReactNode> = {
  record: () => (
    <div className={recordClasses.columns} data-side>
      <div className={recordClasses.main}>
        {times(2, (section) => (
          <Stack key={section} gap={20}>
            <Skeleton h={18} w={140} />
            {times(4, (line) => (
              <Skeleton key={line} h={14} w={`${90 - 9 * line}%`} />
            ))}
          </Stack>
        ))}
      </div>
      <Stack gap={20}>
        <Skeleton h={18} w={100} />
        {times(5, (line) => (
          <Skeleton key={line} h={14} />
        ))}
      </Stack>
    </div>
  ),
  form: () => (
    <Stack gap={24} maw={760}>
      {times(5, (field) => (
        <Stack key={field} gap={8}>
          <Skeleton h={12} w={120} />
          <Skeleton h={36} />
        </Stack>
      ))}
    </Stack>
  ),
  rows: () => (
    <Stack gap={10}>
      {times(8, (row) => (
        <Skeleton key={row} h={34} />
      ))}
    </Stack>
  ),
};
