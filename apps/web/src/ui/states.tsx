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
import { Skeletons } from './skeletons.tsx';
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
  return (
    <div role="status" aria-label={fr.common.loading} data-body={isBody || undefined}>
      {bodies[shape ?? ofScreen ?? (isOfRecord ? 'record' : 'rows')]}
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
const section = (content: ReactNode) => (
  <Stack gap={14}>
    <Skeleton h={20} w={140} />
    {content}
  </Stack>
);
const rows = (count: number, height = 34) => section(<Skeletons count={count} h={height} />);
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
const page = (top: ReactNode, main: ReactNode, side: ReactNode) => (
  <>
    {top}
    <div className={recordClasses.columns} data-side>
      <Stack gap={32} miw={0}>
        {main}
      </Stack>
      <Stack gap={24}>{side}</Stack>
    </div>
  </>
);
const figureHead = head({ hasText: true, hasFigure: true });

const bodies: Record<PageShape, ReactNode> = {
  account: page(
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
    </>,
    <>
      <ChartSkeleton />
      {rows(5)}
    </>,
    rows(6, 22),
  ),
  payout: page(
    figureHead,
    <>
      {section(
        <div className={classes.boxes}>
          <Skeletons count={4} h={72} />
        </div>,
      )}
      <Skeleton h={170} />
    </>,
    rows(7, 22),
  ),
  statement: page(
    figureHead,
    <>
      {section(fields(2))}
      {rows(5, 22)}
      {rows(4)}
    </>,
    rows(9, 22),
  ),
  release: page(
    figureHead,
    <>
      {rows(6, 44)}
      {rows(5, 22)}
    </>,
    <>
      <Skeleton className={classes.cover} />
      {rows(5, 22)}
    </>,
  ),
  home: (
    <>
      {head({ hasActions: false })}
      <div className={classes.boxes}>
        <Skeletons count={6} h={54} />
      </div>
      <Stack gap={32} mt={32}>
        {section(<Skeleton h={150} />)}
        {rows(5, 56)}
        <ChartSkeleton />
      </Stack>
    </>
  ),
  record: page(
    head(),
    <>
      {rows(4, 22)}
      {rows(4, 22)}
    </>,
    rows(5, 22),
  ),
  form: (
    <>
      {head({ hasActions: false })}
      {fields(5)}
    </>
  ),
  rows: (
    <>
      {head()}
      <Stack gap={10}>
        <Skeletons count={8} h={34} />
      </Stack>
    </>
  ),
};
