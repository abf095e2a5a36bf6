import { Checkbox } from '@mantine/core';
import { type CapabilitySection, capabilities, capabilitySections, impliedBy } from '@regie/contract/capabilities.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { frAdmins } from './admins.fr.ts';
import classes from './admins.module.css';

interface CapabilityBoxesProps {
  value: readonly number[];
  onChange: (ids: number[]) => void;
  error?: React.ReactNode;
}

/** Capabilities by section; an admin can only grant their own (product §35.3), which the server checks too. */
export function CapabilityBoxes({ value, onChange, error }: CapabilityBoxesProps) {
  const { userCapabilities } = useSignedIn();
  const held = new Set<string>(userCapabilities);
  const set = (ids: readonly number[], isOn: boolean) => {
    const changed = new Set(ids);
    const kept = value.filter((id) => !changed.has(id));
    onChange((isOn ? [...kept, ...ids] : kept).toSorted((a, b) => a - b));
  };
  // Editing includes reading: the box shows it.
  const implied = new Set(capabilities.filter(({ id }) => value.includes(id)).map(({ name }) => impliedBy(name)));
  const sections = Object.keys(capabilitySections) as CapabilitySection[];
  return (
    <fieldset className={classes.group}>
      <legend>{frAdmins.capabilities}</legend>
      {held.size < capabilities.length && <p className={classes.hint}>{frAdmins.notGrantable}</p>}
      {error && <p className={classes.error}>{error}</p>}
      <div className={classes.sections}>
        {sections.map((section) => {
          const own = capabilities.filter((capability) => capability.section === section);
          const grantable = own.filter((capability) => held.has(capability.name)).map((capability) => capability.id);
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
                {own.map((capability) => (
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
