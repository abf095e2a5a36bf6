/** The texts of a record as values of a form; empty without a record. */
export function textsOf<Name extends string>(
  record: Partial<Record<NoInfer<Name>, string | null>> | undefined,
  ...names: Name[]
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, record?.[name] ?? ''])) as Record<Name, string>;
}

/** The values of a select, with their labels. */
export const optionsOf = <Value extends string>(labels: Readonly<Record<Value, string>>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value, label }));
