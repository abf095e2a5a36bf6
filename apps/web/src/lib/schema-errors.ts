import { messages } from '@regie/contract/messages.ts';
import { z } from '@regie/contract/zod.ts';

export function schemaErrors(schema: z.core.$ZodType, values: unknown): Record<string, string> {
  const result = z.safeParse(schema, values);
  if (result.success) return {};
  const errors: Record<string, string> = {};
  for (const issue of result.error.issues) {
    const path = issue.path.join('.') || 'global';
    const isNumber = issue.code === 'invalid_type' && Number.isNaN(valueAt(values, issue.path));
    errors[path] ??= isNumber ? messages.invalidDecimal : issue.message;
  }
  return errors;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}
