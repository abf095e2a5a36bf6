/** The states of a record as stored in the database and as they travel. */
function defineStates<const Wire extends Record<string, string>>(toWire: Wire) {
  const stored = Object.entries(toWire).map(([state, wire]) => [wire, state]);
  return { toWire, toStored: Object.fromEntries(stored) as { [State in keyof Wire as Wire[State]]: State } };
}

const payment = defineStates({ pending: 'PENDING', paid: 'PAID', cancelled: 'CANCEL' });

export const states = {
  order: payment,
  payout: payment,
  account: defineStates({ enabled: 'ENABLED', hold: 'HOLD', disabled: 'DISABLED' }),
  role: defineStates({ customer: 'CUSTOMER', label: 'LABEL' }),
  smartlink: defineStates({ pending: 'PENDING', enabled: 'ENABLED' }),
  ticket: defineStates({ opened: 'OPENED', closed: 'CLOSED' }),
};
