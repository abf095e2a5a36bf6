import { z } from 'zod';
import { messages } from './messages.ts';

/**
 * Zod with French error messages. Every schema of the contract uses this `z`, so that a rule without its own message
 * still has a useful one.
 */
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined || issue.input === null) return messages.required;
        if (issue.expected !== 'number' && issue.expected !== 'int') return messages.invalidData;
        return typeof issue.input === 'string' ? messages.quotedNumber : messages.notANumber;
      case 'too_small':
        if (issue.origin === 'string')
          return Number(issue.minimum) <= 1 ? messages.required : messages.minLength(Number(issue.minimum));
        if (issue.origin === 'array' || issue.origin === 'set') return messages.notEmpty;
        return (issue.inclusive === false ? messages.aboveNumber : messages.minNumber)(String(issue.minimum));
      case 'too_big':
        if (issue.origin === 'string') return messages.maxLength(Number(issue.maximum));
        if (issue.origin === 'array' || issue.origin === 'set') return messages.maxItems(Number(issue.maximum));
        return (issue.inclusive === false ? messages.belowNumber : messages.maxNumber)(String(issue.maximum));
      case 'invalid_format':
        return issue.format === 'email' ? messages.email : messages.invalidFormat;
      case 'invalid_value':
        return messages.invalidChoice;
      case 'unrecognized_keys':
        return messages.unknownField;
      default:
        return messages.invalidData;
    }
  },
});

export { z };
