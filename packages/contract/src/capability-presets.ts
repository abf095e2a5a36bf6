import { type Capability, type CapabilitySection, capabilities, capabilityNames } from './capabilities.ts';

const inSections = (...sections: readonly CapabilitySection[]): Capability[] =>
  capabilities.filter((row) => sections.includes(row.section)).map((row) => row.name);
// Whoever reads subscriptions also orders and cancels them.
const reading = capabilityNames.filter((name) => name.startsWith('read_') && name !== 'read_subscriptions');
const withoutStaff = (names: readonly Capability[]) => names.filter((name) => !name.endsWith('_admins'));

/** Sets of capabilities: to start from when granting, and for the roles of an identity provider (OIDC_PRESETS). */
export const capabilityPresets = {
  all: capabilityNames,
  read_only: reading,
  accounting: withoutStaff([...inSections('accounts', 'payouts', 'reports', 'accounting')]),
  catalogue: inSections('production', 'tools'),
  support: withoutStaff([
    ...inSections('accounts', 'services', 'tools').filter((name) => name !== 'send_statements'),
    ...reading.filter((name) => name.endsWith('_libraries')),
  ]),
} as const satisfies Record<string, readonly Capability[]>;

export type CapabilityPreset = keyof typeof capabilityPresets;

export const isCapabilityPreset = (name: string): name is CapabilityPreset => Object.hasOwn(capabilityPresets, name);
