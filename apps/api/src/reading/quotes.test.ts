import { describe, expect, it } from 'vitest';
import { landrColumns, readStatement, totalsOf } from '#test/statement-files.ts';

const header = [...landrColumns, 'Title'];
const fileOf = (delimiter: string, titles: readonly string[]) =>
  [
    header,
    ...titles.map((title, index) => [
      '2024-03-15',
      '',
      `FRABC240000${index}`,
      'Deezer',
      'Streaming',
      '1',
      `0.${index + 1}`,
      '100',
      title,
    ]),
  ]
    .map((cells) => `${cells.join(delimiter)}\r\n`)
    .join('');
const titlesOf = async (content: string) => {
  const { items, lines, totals } = await readStatement(content);
  return { titles: items.map(({ title }) => title), amounts: totalsOf(lines), counted: totals.counted };
};

describe.each([',', ';'])('in a file whose columns « %s » separates', (delimiter) => {
  it('a quote that opens in a row and closes in a later one merges no rows', async () => {
    const content = fileOf(delimiter, ['Un', '"Deux', 'Trois', 'Quatre 12"', 'Cinq']);
    expect(await titlesOf(content)).toEqual({
      titles: ['Un', '"Deux', 'Trois', 'Quatre 12"', 'Cinq'],
      amounts: { USD: '1.5' },
      counted: 5,
    });
  });

  it('descriptions of several lines are read, also with the delimiter in them', async () => {
    const titles = ['"Un\nsuite"', `"Deux${delimiter} deux\r\n${delimiter} trois\r\n"`, 'Trois'];
    const { amounts, counted } = await titlesOf(fileOf(delimiter, titles));
    expect({ amounts, counted }).toEqual({ amounts: { USD: '0.6' }, counted: 3 });
  });

  it('a quote that is never closed is refused with its line', async () => {
    await expect(readStatement(fileOf(delimiter, ['Un', '"Deux', 'Trois']))).rejects.toMatchObject({
      message: 'Un guillemet n’est jamais refermé',
      line: 3,
    });
  });
});

it('a quote that closes in another column is read as text', async () => {
  const content = fileOf(',', ['Un', '"Deux', 'Trois', 'Quatre']).replace('FRABC2400003', 'FRABC2400003"');
  expect(await titlesOf(content)).toMatchObject({ amounts: { USD: '1' }, counted: 4 });
});

it('the form of dates is detected in rows behind an unbalanced quote', async () => {
  const content = fileOf(',', ['Un', '"Deux', 'Trois', 'Quatre 12"', 'Cinq']).replaceAll('2024-03-15', '05/03/2024');
  const { lines } = await readStatement(content.replace('05/03/2024,,FRABC2400002', '25/03/2024,,FRABC2400002'));
  expect(new Set(lines.map(({ month }) => month))).toEqual(new Set(['2024-03-01']));
});

it('a file cut into pieces anywhere has the same rows', async () => {
  const content = fileOf(',', ['Un', '"Deux', 'Trois', 'Quatre 12"', '"Cinq\nsix"']);
  const whole = await readStatement(content);
  for (let cut = 1; cut < content.length; cut += 7) {
    expect(await readStatement(content, { cuts: [cut] })).toEqual(whole);
  }
});
