import { z } from 'zod';
import { fieldNames } from './field-names.ts';
import { messages } from './messages.ts';

const names = new Map<string, string>(Object.entries(fieldNames));

/** The keys of a table, for `z.enum`. */
export const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>) =>
  Object.keys(table) as [Key, ...Key[]];

/** The message for an empty field, with its name. */
export const required = ({ path = [] }: { path?: PropertyKey[] | undefined }) => {
  const field = path.findLast((key) => typeof key === 'string');
  return field === undefined ? messages.invalidData : messages.required(names.get(field) ?? field);
};

/**
 * Zod with French error messages. Every schema of the contract uses this `z`, so that a rule without its own message
 * still has a useful one.
 */
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

export { z };
