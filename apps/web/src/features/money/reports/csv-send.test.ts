import { describe, expect, it } from 'vitest';
import { exampleColumns, openFile } from '#src/lib/table-file.ts';
import type { FormatChoice, WireRow } from './csv-rows.ts';
import { type SendOptions, type SendResult, type SendState, sendTable } from './csv-send.ts';
import { analyseTable } from './csv-table.ts';
import { templateExample } from './csv-unsaved.ts';

const answered = (saved: number, unsaved: { row: number; isrc: string; reason: string }[] = []): SendResult => ({
  kind: 'answered',
  answer: { saved, unsaved, importId: 7, alreadyCounted: false, isPosted: true, dropped: 0 },
});

async function run(
  text: string | Blob,
  send: SendOptions['send'],
  options: Partial<Pick<SendOptions, 'signal' | 'resumed' | 'wait' | 'onState'>> & {
    formats?: FormatChoice;
    batchRows?: number;
  } = {},
) {
  const file = text instanceof Blob ? text : new Blob([text]);
  const states: SendState[] = [];
  const waits: number[] = [];
  const outcome = await sendTable({
    file,
    analysis: await analyseTable(file),
    formats: {},
    batchRows: 2,
    signal: new AbortController().signal,
    resumed: () => Promise.reject(new Error('nothing blocks this run')),
    wait: (seconds) => {
      waits.push(seconds);
      return Promise.resolve();
    },
    send,
    onProgress: () => undefined,
    onState: (state) => states.push(state),
    ...options,
  });
  return { outcome, states, waits, unsaved: (await outcome.unsavedFile?.text())?.replace('\uFEFF', '') };
}

const counted = { unsaved: [], importId: 7, dropped: 0 };
const sixRows = `isrc;streams;Titre\n${[1, 2, 3, 4, 5, 6].map((n) => `FR${n};${n};t${n}`).join('\n')}\n`;

describe('sending a file', () => {
  it('sends every row once, in order, at most two batches at a time', async () => {
    const sent: WireRow[][] = [];
    const gates: (() => void)[] = [];
    let underWay = 0;
    let most = 0;
    const { outcome } = await run(sixRows, async ({ index, rows }) => {
      sent[index] = rows;
      underWay++;
      most = Math.max(most, underWay);
      if (gates.length === 0) await new Promise<void>((resolve) => gates.push(resolve));
      else gates[0]?.();
      underWay--;
      return answered(rows.length);
    });
    expect(most).toBe(2);
    expect(sent.flat()).toEqual([1, 2, 3, 4, 5, 6].map((n) => ({ isrc: `FR${n}`, numOfStreams: String(n) })));
    expect(outcome).toMatchObject({ isComplete: true, rowsDone: 6, saved: 6, unsaved: 0, importId: 7 });
    expect(outcome.unsavedFile).toBeUndefined();
  });

  it('collects unsaved rows in file order, with the file’s columns and the reason', async () => {
    const held = Promise.withResolvers<void>();
    const { outcome, unsaved } = await run(sixRows, async ({ index, rows }) => {
      if (index === 0) await held.promise;
      else held.resolve();
      const row = index * 2 + 2;
      return answered(rows.length - 1, [{ row, isrc: `FR${row}`, reason: 'ISRC inconnu' }]);
    });
    expect(outcome).toMatchObject({ saved: 3, unsaved: 3, rowsDone: 6 });
    expect(unsaved).toBe(
      'isrc;streams;Titre;raison\r\nFR2;2;t2;ISRC inconnu\r\nFR4;4;t4;ISRC inconnu\r\nFR6;6;t6;ISRC inconnu\r\n',
    );
  });

  it('sends an unreadable row so that the server counts it, and preserves the local reason', async () => {
    const { outcome, unsaved } = await run(
      'isrc;incomeofstreams\nFR1;1,5\nFR2;1.5\nFR3\nFR4;2;5\n',
      ({ index, rows }) =>
        Promise.resolve(
          answered(
            0,
            rows.flatMap((row, at) =>
              /^-?\d+(?:[.,]\d+)?$/.test(row.incomeOfStreams ?? '')
                ? []
                : [{ row: index * 2 + at + 1, isrc: row.isrc, reason: 'illisible' }],
            ),
          ),
        ),
      { formats: { incomeOfStreams: 'comma' } },
    );
    expect(outcome.unsaved).toBe(3);
    expect(unsaved?.split('\r\n').slice(1)).toEqual([
      'FR2;1.5;Revenus des écoutes\u00A0: «\u00A01.5\u00A0» est illisible avec le séparateur décimal choisi',
      'FR3;;Ligne incomplète\u00A0: 1 colonne au lieu de 2',
      'FR4;"2;5";Ligne trop longue\u00A0: 3 colonnes au lieu de 2',
      '',
    ]);
  });

  it('retries a batch until the server responds, with growing delays and a visible state', async () => {
    let calls = 0;
    const { outcome, states, waits } = await run('isrc,streams\nFR1,1\n', () =>
      Promise.resolve(++calls < 4 ? { kind: 'unreachable' } : answered(1)),
    );
    expect(outcome).toMatchObject({ isComplete: true, saved: 1 });
    expect(waits).toEqual([1, 2, 4]);
    expect(states.at(0)).toMatchObject({ kind: 'waiting', reason: 'unreachable', seconds: 1 });
    expect(states.at(-1)).toEqual({ kind: 'sending' });
  });

  it('continues after a failed or refused batch, whose rows are not in the file of unsaved rows', async () => {
    let failures = 0;
    const { outcome, unsaved } = await run(sixRows, ({ index, rows }) => {
      if (index === 0) failures++;
      if (index === 0) return Promise.resolve({ kind: 'failed', message: 'panne' });
      if (index === 1) return Promise.resolve({ kind: 'refused', message: 'refus' });
      return Promise.resolve(answered(rows.length));
    });
    expect(failures).toBe(5);
    expect(outcome).toMatchObject({ isComplete: false, saved: 2, unsaved: 0, rowsDone: 2 });
    expect(outcome.refusal).toBe('Envoi non enregistré\u00A0: refus');
    expect(unsaved).toBeUndefined();
  });

  it('asks before it sends rows that another import has, and stops without a confirmation', async () => {
    for (const isWanted of [true, false]) {
      const controller = new AbortController();
      let isAgain = false;
      const asked = { kind: 'asked' as const, message: '2 lignes …', importId: 3 };
      const { outcome, states } = await run(
        'isrc;streams\nFR1;1\nFR2;2\n',
        ({ rows }) => Promise.resolve(isAgain ? answered(rows.length) : asked),
        {
          signal: controller.signal,
          resumed: () => {
            if (isWanted) isAgain = true;
            else controller.abort();
            return Promise.resolve();
          },
        },
      );
      expect(states).toEqual([asked, { kind: 'sending' }, ...(isWanted ? [{ kind: 'sending' }] : [])]);
      expect(outcome).toMatchObject(
        isWanted ? { isComplete: true, saved: 2, hasAdded: true } : { isComplete: false, saved: 0, hasAdded: false },
      );
    }
  });

  it.each([
    ['the missing batch is refused', { kind: 'refused', message: 'refus' } as const, false],
    ['it saves a row', answered(1, [{ row: 4, isrc: 'FR4', reason: 'ISRC inconnu' }]), true],
    [
      'it saves no row',
      answered(
        0,
        [3, 4].map((row) => ({ row, isrc: `FR${row}`, reason: 'ISRC inconnu' })),
      ),
      false,
    ],
  ])('reports whether a file received before adds rows: %s', async (_, missing, hasAdded) => {
    const { outcome } = await run(sixRows, ({ index, rows }) =>
      Promise.resolve(
        index === 1
          ? missing
          : { kind: 'answered', answer: { ...counted, saved: rows.length, isPosted: true, alreadyCounted: true } },
      ),
    );
    expect(outcome).toMatchObject({ wasReceived: true, hasAdded });
  });

  it('stops when the session ends, and resumes at the same batch', async () => {
    let isSignedIn = false;
    const { outcome, states } = await run(
      sixRows,
      ({ rows }) =>
        Promise.resolve(isSignedIn ? answered(rows.length) : { kind: 'blocked', message: 'Réactualisez la page SVP' }),
      {
        resumed: () => {
          isSignedIn = true;
          return Promise.resolve();
        },
      },
    );
    expect(states[0]).toEqual({ kind: 'blocked', message: 'Réactualisez la page SVP' });
    expect(outcome).toMatchObject({ isComplete: true, saved: 6 });
  });

  it('respects the server’s Retry-After delay', async () => {
    let calls = 0;
    const { waits } = await run('isrc,streams\nFR1,1\n', () =>
      Promise.resolve(++calls === 1 ? { kind: 'busy', seconds: 17 } : answered(1)),
    );
    expect(waits).toEqual([17]);
  });

  it('when cancelled, awaits and counts pending batches, and sends no others', async () => {
    const controller = new AbortController();
    const indexes: number[] = [];
    const { outcome } = await run(
      sixRows,
      ({ index, rows }) => {
        indexes.push(index);
        controller.abort();
        return Promise.resolve(answered(rows.length));
      },
      { signal: controller.signal },
    );
    expect(outcome.isComplete).toBe(false);
    expect(outcome.rowsDone).toBe(outcome.saved);
    expect(outcome.saved).toBe(indexes.length * 2);
    expect(outcome.saved).toBeLessThan(6);
  });

  it('reports the posting state, and rows lost at posting', async () => {
    const reached = Promise.withResolvers<SendState>();
    const { outcome } = await run(
      sixRows,
      async ({ index, rows }) => {
        const isLast = index === 2;
        if (isLast) await reached.promise;
        const answer = { saved: rows.length, unsaved: [], importId: 7, alreadyCounted: false };
        return { kind: 'answered', answer: { ...answer, isPosted: isLast, dropped: isLast ? 1 : 0 } };
      },
      { onState: reached.resolve },
    );
    expect(await reached.promise).toEqual({ kind: 'posting' });
    expect(outcome).toMatchObject({ isWaiting: false, hasAdded: true, dropped: 1, saved: 5, unsaved: 1, rowsDone: 6 });
  });

  it('reports a staged import when a batch was refused or not sent', async () => {
    const waiting = (rows: number): SendResult => ({
      kind: 'answered',
      answer: { saved: rows, unsaved: [], importId: 7, alreadyCounted: false, isPosted: false, dropped: 0 },
    });
    const { outcome } = await run(sixRows, ({ index, rows }) =>
      Promise.resolve(index === 1 ? { kind: 'refused', message: 'refus' } : waiting(rows.length)),
    );
    expect(outcome).toMatchObject({ isComplete: false, isWaiting: true, hasAdded: false, saved: 4, unsaved: 0 });
  });

  it('reads the corrected file of unsaved rows', async () => {
    const first = await run('Titre,isrc,streams\n=1+1,FR1,1\n"a ""b"", c",FR2,-2\n', ({ rows }) =>
      Promise.resolve(
        answered(
          0,
          rows.map((row, at) => ({ row: at + 1, isrc: row.isrc, reason: 'ISRC inconnu' })),
        ),
      ),
    );
    expect(first.unsaved).toBe(
      `Titre;isrc;streams;raison\r\n'=1+1;FR1;1;ISRC inconnu\r\n"a ""b"", c";FR2;-2;ISRC inconnu\r\n`,
    );
    const sent: WireRow[] = [];
    const again = await run(first.outcome.unsavedFile ?? new Blob(), ({ rows }) => {
      sent.push(...rows);
      return Promise.resolve(answered(1, [{ row: 2, isrc: 'FR2', reason: 'ISRC en double' }]));
    });
    expect(sent).toEqual([
      { isrc: 'FR1', numOfStreams: '1' },
      { isrc: 'FR2', numOfStreams: '-2' },
    ]);
    expect(again.unsaved).toBe('Titre;isrc;streams;raison\r\n"a ""b"", c";FR2;-2;ISRC en double\r\n');
  });

  it('writes unsaved rows in French Excel’s number format, whatever the input format', async () => {
    const sent: WireRow[] = [];
    const file = 'isrc,incomeofstreams,prix\nFR1,"1,234.5678",1.5\nFR2,-0.25,x\nFR3,abc,\n';
    const formats: FormatChoice = { incomeOfStreams: 'dotGroupedByComma' };
    const refuse: SendOptions['send'] = ({ rows }) => {
      sent.push(...rows);
      return Promise.resolve(
        answered(
          0,
          rows.map(({ isrc }, at) => ({ row: at + 1, isrc, reason: 'ISRC inconnu' })),
        ),
      );
    };
    const first = await run(file, refuse, { formats, batchRows: 5 });
    const [header, ...lines] = (first.unsaved ?? '').split('\r\n');
    expect(header).toBe('isrc;incomeofstreams;prix;raison');
    expect(lines).toEqual([
      'FR1;1234,5678;1.5;ISRC inconnu',
      'FR2;-0,25;x;ISRC inconnu',
      expect.stringMatching(/^FR3;abc;;/),
      '',
    ]);
    const before = sent.splice(0);
    await run(first.outcome.unsavedFile ?? '', refuse, { formats: { incomeOfStreams: 'comma' }, batchRows: 5 });
    expect(sent).toEqual(before);
  });

  it.each(['csv', 'xlsx'] as const)('offers a template that can be imported: %s', async (format) => {
    const template = await openFile(format, 'Modèle', exampleColumns(templateExample));
    await template.add([undefined]);
    const sent: WireRow[] = [];
    const { outcome } = await run(
      await template.finish(),
      ({ rows }) => {
        sent.push(...rows);
        return Promise.resolve(answered(rows.length));
      },
      { formats: { incomeOfStreams: 'comma', incomeOfDownloads: 'comma', incomeOfYoutube: 'comma' } },
    );
    expect(outcome).toMatchObject({ isComplete: true, saved: 1, rowCount: 1 });
    expect(sent).toMatchObject([{ isrc: 'FRX202400001', numOfStreams: '1250', incomeOfStreams: '4.3125' }]);
  });
});
