import { ActionIcon, Box, Group, Select, Stack } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { lookupPeople } from '#src/domain/lookups.ts';
import { ArtistDialog } from '#src/domain/tracks/artist-dialog.tsx';
import { frTracks } from '#src/domain/tracks/tracks.fr.ts';
import { LookupField } from '#src/ui/lookup-field.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.trackForm;

/** A person of a track in the form; without an id, saving creates them. */
export interface MemberValue {
  id?: number | null | undefined;
  fullname: string;
  role: string;
  isMusician: boolean;
}

interface MemberFieldsProps {
  label: string;
  addLabel: string;
  members: readonly MemberValue[];
  onChange: (members: MemberValue[]) => void;
  roles: readonly string[];
  isMusician?: boolean;
  /** By index and field: `0.role`. */
  errorOf: (path: string) => React.ReactNode;
  isSearchable?: boolean;
  /** Whether new artists may have store identifiers. */
  canCreate?: boolean;
}

const roleNames = new Map<string, string>(Object.entries(frTracks.roles));
const newPersonId = 0;
const shortestName = 2;

async function findPeople(q: string, signal: AbortSignal) {
  const people = await lookupPeople(q, signal);
  const isKnown = people.some(({ label }) => label.toLocaleLowerCase('fr') === q.toLocaleLowerCase('fr'));
  return q.length < shortestName || isKnown ? people : [...people, { id: newPersonId, label: q, hint: t.newPerson }];
}

/** The members of a track of one kind, each with a role; existing people are found by name, new ones are created. */
export function MemberFields(props: MemberFieldsProps) {
  const { label, members, onChange, roles, isMusician = false, errorOf } = props;
  const [isCreating, setIsCreating] = useState(false);
  const change = (index: number, role: string) =>
    onChange(members.map((member, i) => (i === index ? { ...member, role } : member)));
  return (
    <fieldset>
      <Box component="legend" mb={6} fz={14} fw={600}>
        {label}
      </Box>
      {members.length > 0 && (
        <Stack component="ul" gap={8} mb={8} aria-label={label}>
          {members.map((member, index) => {
            const error = errorOf(`${index}.fullname`) ?? errorOf(`${index}.id`);
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same person may stand here twice, with two roles
              <li key={`${member.id ?? member.fullname} ${index}`} className={classes.member}>
                <Group component="span" gap="4px 8px" mih={36} className={shared.wrap}>
                  {member.fullname}
                  {member.id == null && <StatusBadge tone="info">{t.isNew}</StatusBadge>}
                </Group>
                <Select
                  aria-label={t.role(member.fullname)}
                  data={(roles.includes(member.role) ? roles : [member.role, ...roles]).map((role) => ({
                    value: role,
                    label: roleNames.get(role) ?? role,
                  }))}
                  value={member.role}
                  onChange={(role) => role && change(index, role)}
                  allowDeselect={false}
                  searchable={props.isSearchable ?? false}
                  nothingFoundMessage={t.roleUnknown}
                  maxDropdownHeight={260}
                  error={errorOf(`${index}.role`)}
                />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={t.removeMember(member.fullname)}
                  onClick={() => onChange(members.filter((_, i) => i !== index))}
                >
                  <IconX size={17} stroke={1.7} />
                </ActionIcon>
                {error && (
                  <Box component="span" c="var(--negative)" fz={12} className={shared.wide}>
                    {error}
                  </Box>
                )}
              </li>
            );
          })}
        </Stack>
      )}
      {props.canCreate && (
        <>
          <SmallButton mb={10} icon={IconPlus} onClick={() => setIsCreating(true)}>
            {frTracks.artist.newArtist}
          </SmallButton>
          <ArtistDialog
            artist={undefined}
            isOpen={isCreating}
            onClose={() => setIsCreating(false)}
            onSaved={({ id, fullname }) => onChange([...members, { id, fullname, role: roles[0] ?? '', isMusician }])}
          />
        </>
      )}
      <LookupField
        label={props.addLabel}
        placeholder={t.find}
        value={null}
        lookup={findPeople}
        onChange={(person) => {
          if (!person) return;
          const id = person.id === newPersonId ? null : person.id;
          onChange([...members, { id, fullname: person.label, role: roles[0] ?? '', isMusician }]);
        }}
      />
    </fieldset>
  );
}
