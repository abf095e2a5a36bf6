import { Box, Button, Checkbox, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type CapabilitySection, capabilities, capabilitySections, impliedBy } from '@regie/contract/capabilities.ts';
import { capabilityPresets } from '@regie/contract/capability-presets.ts';
import { fold } from '@regie/values/search-text.ts';
import { useState } from 'react';
import { useSignedIn } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import { frAdmins } from './admins.fr.ts';

interface CapabilityBoxesProps {
  value: readonly number[];
  onChange: (ids: number[]) => void;
  error?: React.ReactNode;
}

const presets = ['accounting', 'catalogue', 'support', 'read_only'] as const;

/** Capabilities by section; an admin can only grant their own (product §35.3), which the server checks too. */
export function CapabilityBoxes({ value, onChange, error }: CapabilityBoxesProps) {
  const { userCapabilities } = useSignedIn();
  const held = new Set<string>(userCapabilities);
  const [sought, setSought] = useState('');
  const set = (ids: readonly number[], isOn: boolean) => {
    const changed = new Set(ids);
    const others = value.filter((id) => !changed.has(id));
    onChange((isOn ? [...others, ...ids] : others).toSorted((a, b) => a - b));
  };
  /** What this admin may not grant stays as it is. */
  const start = (names: readonly string[]) =>
    onChange(
      capabilities
        .filter(({ id, name }) => (held.has(name) ? names.includes(name) : value.includes(id)))
        .map(({ id }) => id),
    );
  const isSought = (text: string) => fold(text).includes(fold(sought));
  // Editing includes reading: the box shows it.
  const implied = new Set(capabilities.filter(({ id }) => value.includes(id)).map(({ name }) => impliedBy(name)));
  const sections = Object.keys(capabilitySections) as CapabilitySection[];
  return (
    <fieldset>
      <Box component="legend" fz={14} fw={600}>
        {frAdmins.capabilities}
      </Box>
      {held.size < capabilities.length && (
        <Box component="p" mt={2} fz={12} className={shared.muted}>
          {frAdmins.notGrantable}
        </Box>
      )}
      {error && (
        <Box component="p" mt={8} c="var(--negative)" fz={12}>
          {error}
        </Box>
      )}
      <Group gap={8} mt={8} fz={13}>
        <span>{frAdmins.startFrom}</span>
        {presets.map((name) => (
          <Button key={name} variant="default" size="compact-sm" onClick={() => start(capabilityPresets[name])}>
            {frAdmins.presets[name]}
          </Button>
        ))}
        <Button variant="subtle" size="compact-sm" onClick={() => start([])}>
          {frAdmins.noCapability}
        </Button>
        <TextInput
          flex="1 1 160px"
          aria-label={frAdmins.seekCapability}
          placeholder={frAdmins.seekCapability}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
      </Group>
      <SimpleGrid minColWidth="min(100%, 300px)" spacing={28} verticalSpacing={20} mt={12}>
        {sections.map((section) => {
          const group = capabilities.filter((capability) => capability.section === section);
          const grantable = group.filter(({ name }) => held.has(name)).map(({ id }) => id);
          const shown = isSought(capabilitySections[section]) ? group : group.filter(({ label }) => isSought(label));
          if (shown.length === 0) return null;
          const checked = group.filter(({ id, name }) => value.includes(id) || implied.has(name)).length;
          return (
            <fieldset key={section}>
              <legend className="visually-hidden">{capabilitySections[section]}</legend>
              <Checkbox
                label={<strong>{capabilitySections[section]}</strong>}
                aria-label={frAdmins.selectSection(capabilitySections[section])}
                checked={checked === group.length}
                indeterminate={checked > 0 && checked < group.length}
                disabled={grantable.length === 0}
                onChange={(event) => set(grantable, event.currentTarget.checked)}
              />
              <Stack gap={8} mt={8} pl={28}>
                {shown.map((capability) => (
                  <Checkbox
                    key={capability.id}
                    label={capability.label}
                    checked={value.includes(capability.id) || implied.has(capability.name)}
                    disabled={!held.has(capability.name) || implied.has(capability.name)}
                    onChange={(event) => set([capability.id], event.currentTarget.checked)}
                  />
                ))}
              </Stack>
            </fieldset>
          );
        })}
      </SimpleGrid>
    </fieldset>
  );
}
