import { z } from '@regie/contract/zod.ts';

/** Parses a JSON string of the wire; undefined when it does not match the schema. */
export function readJson<Schema extends z.core.$ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return z.safeParse(schema, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
