import { z } from 'zod';
import { fieldNames } from './field-names.ts';
import { messages } from './messages.ts';

const names = new Map<string, string>(Object.entries(fieldNames));

/** The keys of a table, for `z.enum`. */
export const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>) =>
  Object.keys(table) as [Key, ...Key[]];

/** An object with a value for each key. */
export const mapKeys = <Key extends string, Value>(keys: readonly Key[], of: (key: Key) => Value) =>
  Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<Key, Value>;

/** The message for an empty field, with its name. */
export const required = ({ path = [] }: { path?: PropertyKey[] | undefined }) => {
  const field = path.findLast((key) => typeof key === 'string');
  return field === undefined ? messages.invalidData : messages.required(names.get(field) ?? field);
};

/** French messages for the rules of every schema that have no own one. */
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined || issue.input === null) return required(issue);
        if (issue.expected !== 'number' && issue.expected !== 'int')
          return issue.path?.length ? messages.wrongType(issue.expected) : messages.invalidData;
        return typeof issue.input === 'string' ? messages.quotedNumber : messages.notANumber;
      case 'too_small':
        if (issue.origin === 'string')
          return Number(issue.minimum) <= 1 ? required(issue) : messages.minLength(Number(issue.minimum));
        if (issue.origin === 'array' || issue.origin === 'set') return messages.notEmpty;
        return (issue.inclusive === false ? messages.aboveNumber : messages.minNumber)(String(issue.minimum));
      case 'too_big':
        if (issue.origin === 'string') return messages.maxLength(Number(issue.maximum));
        if (issue.origin === 'array' || issue.origin === 'set') return messages.maxItems(Number(issue.maximum));
        return (issue.inclusive === false ? messages.belowNumber : messages.maxNumber)(String(issue.maximum));
      case 'invalid_format':
        return issue.format === 'email' ? messages.email : messages.invalidFormat;
      case 'invalid_value':
        return typeof issue.values[0] === 'boolean' ? messages.wrongType('boolean') : messages.invalidChoice;
      case 'unrecognized_keys':
        return messages.unknownField;
      default:
        if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return messages.invalidChoice;
        return issue.input === undefined ? required(issue) : messages.invalidData;
    }
  },
});

/** Trimmed text; `error` when it is missing or has fewer than `min` characters. */
export const filledText = (error: string, max: number, min = 1) =>
  // Limits without an own sentence would have that of the text.
  z
    .string({ error })
    .trim()
    .min(min, { error })
    .max(max, { error: messages.maxLength(max) });

/** An omitted text keeps its value; null or '' clears it. */
export const optionalText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((text) => (text === '' ? null : text))
    .nullish();

/** Refuses a text with the sentence of `findFault`. */
export const refuseFault =
  (findFault: (text: string) => string | undefined) => (text: string, context: z.RefinementCtx) => {
    const message = findFault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };

export { z };
