type Numbered<Value> = Value extends string ? number : Value;
type Instant<Value> = Value extends Date ? number : Value;

/**
 * A row as JSON has it: its dates in milliseconds, and the decimal texts of these columns as numbers, for display only.
 * Null stays null. What the response schema does not name is stripped.
 */
export function toWireRow<Row extends object, Decimal extends keyof Row & string = never>(
  row: Row,
  ...decimals: readonly Decimal[]
) {
  const toWire = (name: string, value: unknown) => {
    if (value instanceof Date) return value.getTime();
    return value !== null && decimals.some((decimal) => decimal === name) ? Number(value) : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toWire(name, value)])) as {
    [Name in keyof Row]: Name extends Decimal ? Numbered<Row[Name]> : Instant<Row[Name]>;
  };
}
