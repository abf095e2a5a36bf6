import type { FormatChoice, WireRow } from './csv-rows.ts';
import type { SendOutcome, SendProgress, SendResult, SendState } from './csv-send.ts';
import type { TableAnalysis } from './csv-table.ts';

export type ToWorker =
  | { kind: 'analyse'; file: File; sheet: string | undefined }
  | { kind: 'send'; formats: FormatChoice; batchRows: number }
  /** The server's response to a batch; the page makes the calls, because it has the session. */
  | { kind: 'result'; index: number; result: SendResult }
  | { kind: 'resume' }
  | { kind: 'cancel' };

export type FromWorker =
  | { kind: 'reading'; bytes: number }
  | { kind: 'analysed'; analysis: TableAnalysis }
  | { kind: 'refused'; message: string; sheets?: readonly string[] }
  | { kind: 'batch'; index: number; rows: WireRow[] }
  | { kind: 'progress'; progress: SendProgress }
  | { kind: 'state'; state: SendState }
  | { kind: 'finished'; outcome: SendOutcome };
