import { Box, Button, Group, Stack } from '@mantine/core';
import { trackColumns } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import { aiLabel } from '@regie/contract/releases.ts';
import type { Track } from '@regie/contract/routes/releases.ts';
import {
  type ImportOutcome,
  type ImportRow,
  maxImportRows,
  type ValidatedRow,
} from '@regie/contract/routes/row-import.ts';
import { routes } from '@regie/contract/routes.ts';
import { frAi } from '#src/domain/ai/ai.fr.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { downloadTable, type FileColumn, type FileFormat } from '#src/lib/table-file.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message } from '#src/ui/alerts.tsx';
import { CheckedFile, type CheckedRows, FileCheckDrop, useFileCheck } from '#src/ui/file-check.tsx';
import { FileMenu } from '#src/ui/file-menu.tsx';
import shared from '#src/ui/shared.module.css';
import type { StatusTone } from '#src/ui/status-badge.tsx';
import { ValidatedRows } from '#src/ui/validated-rows.tsx';
import { fullTitle } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const templateExample = {
  titre: 'Titre d’exemple',
  artistes: 'Artiste principal feat. Artiste invité',
  barcode: '',
  isrc: '',
};

const t = frReleases.rowImport;

const namesOf = (track: Track, role: string) =>
  track.Artists.filter((artist) => artist.role === role).map(({ fullname }) => fullname);

/** What the import reads: names are separated by `;`, since a comma may be part of one. */
function artistsCell(track: Track): string {
  const featured = namesOf(track, 'Featuring').join('; ');
  return `${namesOf(track, 'Primary Artist').join('; ')};${featured && ` feat. ${featured}`}`.replace(/^;$/, '');
}

async function exportTracks(releaseId: number, format: FileFormat): Promise<void> {
  const { data } = await api(routes.getRelease, { params: { id: releaseId } });
  const columns: FileColumn<Track>[] = [
    { header: t.trackTitle, type: 'text', value: ({ title }) => title },
    { header: t.artists, type: 'text', value: artistsCell },
    { header: t.barcode, type: 'text', value: () => data.barcode },
    { header: t.isrc, type: 'text', value: ({ isrc }) => isrc },
    { header: frAi.recordingAi, value: ({ recordingAi }) => aiLabel(recordingAi) },
    { header: frAi.compositionAi, value: ({ compositionAi }) => aiLabel(compositionAi) },
    { header: frAi.coverAi, value: () => aiLabel(data.coverAi) },
  ];
  await downloadTable(format, fullTitle(data), columns, data.tracks);
}

type Checked = CheckedRows<keyof ImportRow> & { outcome: ImportOutcome };

interface RowImportProps {
  releaseId: number;
  onImported: (outcome: ImportOutcome) => void;
}

export function RowImport({ releaseId, onImported }: RowImportProps) {
  const params = { id: releaseId };
  const judge = async (rows: ImportRow[], options: { signal?: AbortSignal } = {}) => ({
    outcome: (await api(routes.importTracks, { params, query: { dryRun: 'true' }, body: rows, ...options })).data,
  });
  const file = useFileCheck<keyof ImportRow, Pick<Checked, 'outcome'>>({
    names: trackColumns,
    maxRows: maxImportRows,
    wrongType: messages.csvFileType,
    check: ({ fields, rows }, signal) => {
      if (!fields.includes('titre')) throw new TableRefusal(t.noTitleColumn);
      return judge(rows, { signal });
    },
  });
  useUnsavedChanges(file.isDirty, file.isDirty && !file.isSaving);

  const save = ({ rows: body, key: idempotencyKey }: Checked) =>
    file.save(
      async () => {
        const { data, message } = await api(routes.importTracks, { params, query: {}, body, idempotencyKey });
        onImported(data);
        flashSuccess(t.done(message, outcomeLabels(data)));
        file.reset();
      },
      () => judge(body),
    );

  return (
    <Stack
      component="section"
      maw={960}
      mt={32}
      pt={24}
      aria-labelledby="row-import"
      style={{ borderTop: '1px solid var(--line)' }}
    >
      <div>
        <Group justify="space-between">
          <Box id="row-import" component="h2" fz={16} fw={600}>
            {t.title}
          </Box>
          <FileMenu
            label={fr.list.export}
            fullLabel={t.exportTracks}
            onPick={(format) => exportTracks(releaseId, format)}
          />
        </Group>
        <Box component="p" mt={4} className={shared.note}>
          {t.hint}
        </Box>
      </div>
      <FileCheckDrop
        check={file}
        label={t.drop}
        hint={t.formatHint}
        template={{ file: t.templateFile, example: templateExample }}
      />
      {file.checked && (
        <Preview
          key={file.checked.key}
          checked={file.checked}
          isImporting={file.isSaving}
          onImport={save}
          onCancel={file.reset}
        />
      )}
    </Stack>
  );
}

const tones: Record<ValidatedRow['verdict'], StatusTone> = {
  new: 'success',
  exists: 'info',
  conflict: 'danger',
  invalid: 'danger',
};
const isRefused = ({ verdict }: ValidatedRow) => verdict === 'conflict' || verdict === 'invalid';

function outcomeLabels({ created, completed }: ImportOutcome): string {
  return [t.created(created), completed > 0 && t.completed(completed)].filter(Boolean).join(', ');
}

interface PreviewProps {
  checked: Checked;
  isImporting: boolean;
  onImport: (checked: Checked) => Promise<unknown>;
  onCancel: () => void;
}

function Preview({ checked, isImporting, onImport, onCancel }: PreviewProps) {
  const { outcome, notes } = checked;
  const refused = outcome.rows.filter(isRefused).length;
  const unchanged = outcome.rows.length - refused - outcome.created - outcome.completed;
  const hasWork = outcome.created + outcome.completed > 0;
  return (
    <CheckedFile
      summary={[outcomeLabels(outcome), unchanged > 0 && t.unchanged(unchanged), refused > 0 && t.refused(refused)]
        .filter(Boolean)
        .join(' · ')}
      notes={notes}
      nothing={hasWork || refused > 0 ? undefined : t.nothing}
      cancel={
        <Button variant="default" onClick={onCancel} disabled={isImporting}>
          {fr.common.cancel}
        </Button>
      }
      submit={
        <Button onClick={() => void onImport(checked)} loading={isImporting} disabled={refused > 0 || !hasWork}>
          {outcome.created > 0 ? t.submit(outcome.created) : t.complete}
        </Button>
      }
    >
      {refused > 0 && <Message text={t.correct} />}
      <ValidatedRows
        rows={outcome.rows}
        verdictOf={({ verdict }) => ({ tone: tones[verdict], words: t.verdicts[verdict] })}
        isRefused={isRefused}
        onlyRefusedLabel={t.onlyRefused}
        columns={[
          { header: t.trackTitle, cell: ({ title }) => title },
          { header: t.artists, cell: ({ artists }) => artistNames(artists) },
          { header: t.isrc, cell: ({ isrc }) => isrc, isCode: true },
          { header: t.barcode, cell: ({ barcode }) => barcode, isCode: true },
          ...(['recordingAi', 'compositionAi', 'coverAi'] as const)
            .filter((name) => outcome.rows.some((row) => row[name] !== null))
            .map((name) => ({ header: frAi[name], cell: (row: ValidatedRow) => row[name] && aiLabel(row[name]) })),
        ]}
      />
    </CheckedFile>
  );
}

function artistNames(artists: ValidatedRow['artists']): string {
  const of = (role: string) => artists.filter((artist) => artist.role === role).map(({ fullname }) => fullname);
  const [primary, featured] = [of('Primary Artist').join(', '), of('Featuring').join(', ')];
  return [primary, ...(featured ? [`feat. ${featured}`] : [])].filter(Boolean).join(' ');
}
