import type { RouteContract } from '@regie/contract/route.ts';
import { errorSentence } from '#src/lib/api.ts';
import { downloadFile } from '#src/lib/file-download.ts';
import { addWork, finishWork } from '#src/lib/work-tray.ts';
import { frPrivacy } from './privacy.fr.ts';

export async function exportPersonalData(
  contract: Pick<RouteContract, 'path'>,
  id: number,
  name: string,
): Promise<void> {
  const work = addWork({ title: frPrivacy.exportWork(name), unit: '' });
  try {
    await downloadFile(contract.path.replace(':id', String(id)));
    finishWork(work, { state: 'done', result: frPrivacy.exported });
  } catch (error) {
    finishWork(work, { state: 'failed', result: errorSentence(error) });
  }
}
