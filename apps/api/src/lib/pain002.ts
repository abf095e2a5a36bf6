import { bankMessages } from '@regie/contract/bank-answers.ts';
import { SaxesParser } from 'saxes';

/** A customer payment status report, pain.002.001.03 or .10, as far as a credit transfer needs it. */

interface Status {
  /** TxSts, PmtInfSts or GrpSts; empty without one. */
  status: string;
  /** Of the first StsRsnInf. */
  code: string;
  /** AddtlInf, joined. */
  said: string;
}

export interface ReportedPayment extends Status {
  endToEndId: string;
  /** InstdAmt as written; empty without one. */
  amount: string;
}

export interface StatusReport extends Status {
  messageId: string;
  originalMessageId: string;
  /** OrgnlPmtInfAndSts, each with the payments it lists. */
  groups: (Status & { counts: Map<string, number>; payments: ReportedPayment[] })[];
  /** NbOfTxsPerSts of the file: number of payments by status. */
  counts: Map<string, number>;
}

const namespaces = ['03', '10'].map((version) => `urn:iso:std:iso:20022:tech:xsd:pain.002.001.${version}`);
/** Longer texts are none of the format. */
const maxText = 2000;
const encodings = /^(utf-8|us-ascii|iso-8859-1|iso-8859-15|windows-1252)$/i;

const emptyStatus = (): Status => ({ status: '', code: '', said: '' });

/**
 * Reads the pieces of a file one after the other; nothing outside this mapping is kept.
 * @returns a French refusal when it is no such report
 */
export function readStatusReport(pieces: Iterable<Uint8Array>): StatusReport | string {
  const report: StatusReport = {
    ...emptyStatus(),
    ...{ messageId: '', originalMessageId: '', groups: [], counts: new Map() },
  };
  const parser = new SaxesParser({ xmlns: true });
  let refusal: string | undefined;
  const refuse = (text: string) => {
    refusal ??= text;
  };
  const path: string[] = [];
  let text = '';
  let counted = 0;
  const group = () => report.groups.at(-1);
  const payment = () => group()?.payments.at(-1);
  /** Whose status, reason or counts an element below `path[2]` gives. */
  const owner = (): (Status & { counts?: Map<string, number> }) | undefined =>
    path[2] === 'OrgnlGrpInfAndSts' ? report : path[3] === 'TxInfAndSts' ? payment() : group();

  const take = (name: string): void => {
    const value = text.trim();
    const below = path.slice(2).join('/');
    if (below === 'GrpHdr/MsgId') report.messageId = value;
    else if (below === 'OrgnlGrpInfAndSts/OrgnlMsgId') report.originalMessageId = value;
    const of = owner();
    if (!of || path[2] === 'GrpHdr') return;
    const parent = path.at(-2);
    if (name === 'GrpSts' || name === 'PmtInfSts' || name === 'TxSts') of.status = value;
    else if (parent === 'Rsn' && (name === 'Cd' || name === 'Prtry')) of.code ||= value;
    else if (parent === 'StsRsnInf' && name === 'AddtlInf') of.said = `${of.said} ${value}`.trim().slice(0, maxText);
    else if (name === 'DtldNbOfTxs') counted = Number(value);
    else if (name === 'DtldSts') of.counts?.set(value, counted);
    const one = payment();
    if (!one || path[3] !== 'TxInfAndSts') return;
    if (name === 'OrgnlEndToEndId') one.endToEndId = value;
    else if (parent === 'Amt' && name === 'InstdAmt') one.amount = value;
  };

  parser.on('doctype', () => refuse(bankMessages.doctype));
  parser.on('error', () => refuse(bankMessages.notXml(parser.line)));
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding && !encodings.test(encoding)) refuse(bankMessages.encoding(encoding));
  });
  parser.on('opentag', ({ local, uri }) => {
    if (path.length === 0 && (local !== 'Document' || !namespaces.includes(uri))) refuse(bankMessages.namespace(uri));
    path.push(local);
    text = '';
    if (path.length === 3 && local === 'OrgnlPmtInfAndSts') {
      report.groups.push({ ...emptyStatus(), counts: new Map(), payments: [] });
    }
    if (path.length === 4 && local === 'TxInfAndSts') {
      group()?.payments.push({ ...emptyStatus(), endToEndId: '', amount: '' });
    }
  });
  parser.on('text', (piece) => {
    if (text.length < maxText) text += piece.slice(0, maxText);
  });
  parser.on('closetag', ({ local }) => {
    take(local);
    path.pop();
    text = '';
  });

  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for (const piece of pieces) {
    decoder ??= new TextDecoder(declaredEncoding(piece));
    parser.write(decoder.decode(piece, { stream: true }));
    if (refusal !== undefined) return refusal;
  }
  parser.close();
  return refusal ?? report;
}

/** The encoding of the XML declaration, which is ASCII in all of them. */
function declaredEncoding(first: Uint8Array): string {
  const start = Buffer.from(first.subarray(0, 200)).toString('latin1');
  const name = /^(?:\xEF\xBB\xBF)?<\?xml[^>]*encoding=["']([^"']+)["']/.exec(start)?.[1] ?? 'utf-8';
  return encodings.test(name) ? name : 'utf-8';
}
