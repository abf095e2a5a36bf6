import { Button, Checkbox, TextInput } from '@mantine/core';
import { type CapabilitySection, capabilities, capabilitySections, impliedBy } from '@regie/contract/capabilities.ts';
import { capabilityPresets } from '@regie/contract/capability-presets.ts';
import { fold } from '@regie/values/search-text.ts';
import { useState } from 'react';
import { useSignedIn } from '#src/lib/session.ts';
import { frAdmins } from './admins.fr.ts';
import classes from './admins.module.css';

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
    const kept = value.filter((id) => !changed.has(id));
    onChange((isOn ? [...kept, ...ids] : kept).toSorted((a, b) => a - b));
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
    <fieldset className={classes.group}>
      <legend>{frAdmins.capabilities}</legend>
      {held.size < capabilities.length && <p className={classes.hint}>{frAdmins.notGrantable}</p>}
      {error && <p className={classes.error}>{error}</p>}
      <div className={classes.presets}>
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
          className={classes.seek}
          aria-label={frAdmins.seekCapability}
          placeholder={frAdmins.seekCapability}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
      </div>
      <div className={classes.sections}>
        {sections.map((section) => {
          const own = capabilities.filter((capability) => capability.section === section);
          const grantable = own.filter((capability) => held.has(capability.name)).map((capability) => capability.id);
          const shown = isSought(capabilitySections[section]) ? own : own.filter(({ label }) => isSought(label));
          if (shown.length === 0) return null;
          const checked = own.filter(({ id, name }) => value.includes(id) || implied.has(name)).length;
          return (
            <fieldset key={section} className={classes.section}>
              <legend className="visually-hidden">{capabilitySections[section]}</legend>
              <Checkbox
                label={<strong>{capabilitySections[section]}</strong>}
                aria-label={frAdmins.selectSection(capabilitySections[section])}
                checked={checked === own.length}
                indeterminate={checked > 0 && checked < own.length}
                disabled={grantable.length === 0}
                onChange={(event) => set(grantable, event.currentTarget.checked)}
              />
              <div className={classes.options}>
                {shown.map((capability) => (
                  <Checkbox
                    key={capability.id}
                    label={capability.label}
                    checked={value.includes(capability.id) || implied.has(capability.name)}
                    disabled={!held.has(capability.name) || implied.has(capability.name)}
                    onChange={(event) => set([capability.id], event.currentTarget.checked)}
                  />
                ))}
              </div>
            </fieldset>
          );
        })}
      </div>
    </fieldset>
  );
}
