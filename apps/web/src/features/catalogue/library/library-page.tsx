import { Box, Group, Skeleton, Stack } from '@mantine/core';
import { anyEditLibraries, type ReleaseListName, releaseLists } from '@regie/contract/releases.ts';
import { formatTotal } from '@regie/values/formats.ts';
import { IconMicrophone2, IconMusic, IconPencil, IconPlus, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { countedUpTo, releaseCountsQuery } from '#src/domain/release-counts.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { ErrorState } from '#src/ui/states.tsx';
import { frLibrary } from './library.fr.ts';
import classes from './library.module.css';

const t = frLibrary;

const listNames = Object.keys(releaseLists) as ReleaseListName[];

const others = [
  { to: paths.libraryTracks, label: frScreens.library.tracks, hint: t.hints.tracks, icon: IconMusic },
  { to: paths.artists, label: frScreens.library.artists, hint: t.hints.artists, icon: IconMicrophone2 },
  { to: paths.contributors, label: frScreens.library.contributors, hint: t.hints.contributors, icon: IconUsers },
  { to: paths.editors, label: frScreens.library.editors, hint: t.hints.editors, icon: IconPencil },
];

export default function LibraryPage() {
  const can = useCan();
  const counts = useQuery(releaseCountsQuery);
  return (
    <>
      <PageHeader
        title={frScreens.library.title}
        actions={
          anyEditLibraries.some(can) && (
            <LinkButton to={paths.newRelease()} leftSection={buttonIcon(IconPlus)}>
              {frScreens.releases.new}
            </LinkButton>
          )
        }
      />
      <Stack gap={32}>
        <Section title={t.releases}>
          {counts.isError && !counts.data ? (
            <ErrorState query={counts} />
          ) : (
            <ul className={classes.boxes}>
              {listNames
                .filter((name) => can(releaseLists[name].read))
                .map((name) => {
                  const count = counts.data?.[name];
                  return (
                    <li key={name}>
                      <Link to={paths.releases(name)} className={classes.box}>
                        <Group component="span" gap={8} fw={600} wrap="nowrap">
                          {releaseLists[name].label}
                        </Group>
                        {/* The skeleton is lower than the figure. */}
                        <Box component="span" mt={6} mih="1lh" className={shared.figure}>
                          {counts.data ? (
                            formatTotal(count ?? 0, (count ?? 0) < countedUpTo)
                          ) : (
                            <Skeleton component="span" display="block" h={34} w="40%" />
                          )}
                        </Box>
                      </Link>
                    </li>
                  );
                })}
            </ul>
          )}
        </Section>
        <Section title={t.people}>
          <ul className={classes.boxes}>
            {others.map(({ to, label, hint, icon: Icon }) => (
              <li key={to}>
                <Link to={to} className={classes.box}>
                  <Group component="span" gap={8} fw={600} wrap="nowrap">
                    <Icon size={18} stroke={1.7} aria-hidden />
                    {label}
                  </Group>
                  <Box component="span" mt={4} className={shared.note}>
                    {hint}
                  </Box>
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      </Stack>
    </>
  );
}
