import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DateText } from './dates.tsx';

test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e20, null, undefined])(
  'the invalid instant %s reads y a long temps, also with its time',
  (ms) => {
    expect(renderToStaticMarkup(<DateText ms={ms} />)).toBe('y a long temps');
    expect(renderToStaticMarkup(<DateText ms={ms} hasTime />)).toBe('y a long temps');
  },
);

test('an instant is shown in Paris time, with a machine-readable date', () => {
  const text = renderToStaticMarkup(<DateText ms={1_577_833_200_000} hasTime />);
  expect(text).toContain('dateTime="2019-12-31T23:00:00.000Z"');
  expect(text).toContain('>01/01/2020 00:00<');
});
