import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { IconAlertTriangle, IconLock, IconMoodEmpty } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useState } from 'react';
import { ApiError, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { hasUnsavedChanges } from '#src/lib/unsaved-changes.ts';
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

/** Placeholder of a loading page. */
export function PageSkeleton() {
  return (
    <div role="status" aria-label={fr.common.loading}>
      <Skeleton h={26} w={220} mb={24} />
      <Stack gap={10}>
        <Skeleton h={40} />
        <Skeleton h={40} />
        <Skeleton h={40} />
        <Skeleton h={40} w="70%" />
      </Stack>
    </div>
  );
}
