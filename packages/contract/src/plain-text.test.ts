import { expect, it } from 'vitest';
import { messages } from './messages.ts';
import { dropHidden, isPlain } from './plain-text.ts';
import { ProfileForm } from './routes/accounts.ts';
import { StaffName } from './routes/auth.ts';
import { DeliveryForm } from './routes/orders.ts';
import { NewArtistForm, ReleaseForm } from './routes/releases.ts';
import type { z } from './zod.ts';

const hidden = ['\0', '\n', '\u007f', '\u0085', '\u00ad', '\u061c', '\u180e', '\u200b', '\u200e', '\u200f', '\u2028'];
hidden.push('\u202a', '\u202e', '\u2060', '\u2066', '\u2069', '\u3164', '\u2800', '\ufeff', '\u{e0041}');

it.each(hidden.map((character) => [character.codePointAt(0)?.toString(16), character]))(
  'U+%s is hidden',
  (_, character) => {
    expect(isPlain(`Awa${character}Diallo`)).toBe(false);
    expect(dropHidden(`Awa${character}Diallo`)).toBe('AwaDiallo');
  },
);

it.each([
  'Awa Diallo',
  'Zoë O’Neill-N’Diaye',
  'محمد\u200cرضا',
  'क्\u200dष',
  'Ly',
  '愛\u3000子',
  'e\u0301',
  '🏳️‍🌈',
  'a\u00a0b',
])('%s is plain', (name) => expect(isPlain(name)).toBe(true));

const errorsOf = (schema: z.core.$ZodType, value: unknown) =>
  schema['~standard'].validate(value) as { issues?: { message: string; path: PropertyKey[] }[] };

it('names of staff, accounts, labels, artists and releases refuse hidden characters', () => {
  const name = 'Awa\u202eDiallo';
  const cases: [z.core.$ZodType, unknown, string[]][] = [
    [StaffName, name, ['']],
    [
      ProfileForm.pick({ fname: true, lname: true, company: true }),
      { fname: name, lname: name, company: name },
      ['fname', 'lname', 'company'],
    ],
    [
      ReleaseForm.pick({ title: true, label: true, recordingOwnerName: true }),
      { title: name, label: name, recordingOwnerName: name },
      ['title', 'label', 'recordingOwnerName'],
    ],
    [DeliveryForm.pick({ label: true }), { label: name }, ['label']],
    [NewArtistForm.pick({ fullname: true }), { fullname: name }, ['fullname']],
  ];
  for (const [schema, value, fields] of cases) {
    const issues = (errorsOf(schema, value).issues ?? []).map(({ message, path }) => [(path ?? []).join('.'), message]);
    expect(issues).toEqual(fields.map((field) => [field, messages.hiddenCharacter]));
  }
});
