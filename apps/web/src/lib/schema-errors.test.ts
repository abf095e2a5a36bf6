import { messages } from '@regie/contract/messages.ts';
import { SignIn, SignUp } from '@regie/contract/routes/auth.ts';
import { ReportForm } from '@regie/contract/routes/reports.ts';
import { expect, test } from 'vitest';
import { schemaErrors } from './schema-errors.ts';

test('each field has the message of its first error, from the contract', () => {
  expect(schemaErrors(SignIn, { email: 'non', password: '' })).toEqual({
    email: messages.email,
    password: messages.password,
  });
  expect(schemaErrors(SignIn, { email: 'a@b.fr', password: '123456' })).toEqual({});
});

test('a rule over two fields is reported on the second field', () => {
  const values = { fname: 'Ana', lname: 'Petit', password: 'abcdefgh', password_confirmation: 'abcdefgi', token: 't' };
  expect(schemaErrors(SignUp, values)).toEqual({ password_confirmation: messages.passwordConfirmation });
});

test('an empty number is missing, an invalid number is not a number', () => {
  const errors = schemaErrors(ReportForm, { numOfStreams: undefined, incomeOfStreams: Number.NaN });
  expect(errors.numOfStreams).toBe(messages.required('nombre d’écoutes'));
  expect(errors.incomeOfStreams).toBe(messages.invalidDecimal);
  expect(errors.fromDate).toBe(messages.invalidMonth);
});
