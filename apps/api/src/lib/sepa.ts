import { toDecimal } from '@regie/values/decimal.ts';

/** A SEPA credit transfer file, pain.001.001.09, by the European Payments Council's customer-to-bank rules. */

interface SepaParty {
  name: string;
  /** Street lines; town and country have their own fields. */
  addressLines: readonly string[];
  postcode: string;
  town: string;
  /** ISO 3166 alpha-2. */
  country: string;
}

export interface SepaDebtor extends SepaParty {
  iban: string;
  /** When empty, the bank uses the IBAN. */
  bic: string;
  /** Of the house: every address of the file has all its parts in their fields. */
  isStructured?: boolean;
}

export interface SepaTransfer extends SepaDebtor {
  endToEndId: string;
  amountCents: bigint;
  /** The text on the beneficiary's bank statement. */
  remittance: string;
}

interface SepaFile {
  messageId: string;
  createdAt: Date;
  /** yyyy-MM-dd. */
  executionDay: string;
  debtor: SepaDebtor;
}

const limits = {
  name: 70,
  town: 35,
  postcode: 16,
  street: 70,
  number: 16,
  building: 35,
  line: 70,
  lines: 2,
  remittance: 140,
  identifier: 35,
} as const;

/** What loses more than an accent: a character, then its replacement. */
const spelled = new Map(
  "œoe ŒOE æae ÆAE ßss øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTh ıi ’' ‘' –- —- &+ €EUR °o"
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.slice(1)] as const),
);

/**
 * Converts a text to the SEPA character set: Latin letters without accents, digits and `/ - ? : ( ) . , ' +`.
 * Unsupported characters are dropped; slashes are not allowed at either end or doubled.
 */
export function toSepaText(text: string, maxLength: number): string {
  return [...text]
    .map((character) => spelled.get(character) ?? character)
    .join('')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9/?:().,'+ -]/g, ' ')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
    .slice(0, maxLength)
    .replaceAll(/^[/ ]+|[/ ]+$/g, '');
}

export const toSepaName = (name: string): string => toSepaText(name, limits.name);
export const toSepaTown = (town: string): string => toSepaText(town, limits.town);

/** Our own texts have no XML characters left; this protects values from elsewhere. */
const escapeXml = (text: string) => text.replaceAll(/[<>&"']/g, (character) => `&#${character.codePointAt(0) ?? 32};`);
const tag = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`;
const optional = (name: string, text: string) => (text === '' ? '' : tag(name, text));

/** `12 bis rue de la Loge`: the number, then the street. */
const numbered = /^(\d+(?: ?(?:bis|ter|quater|[a-z])\b)?),? +(.+)$/i;

function address(party: SepaParty, isStructured: boolean | undefined): string {
  const lines = party.addressLines.map((line) => toSepaText(line, limits.line)).filter((line) => line !== '');
  const place = `${optional('PstCd', toSepaText(party.postcode, limits.postcode))}${tag('TwnNm', toSepaTown(party.town))}`;
  if (!isStructured) {
    const shown = lines.slice(0, limits.lines).map((line) => tag('AdrLine', line));
    return `<PstlAdr>${place}${tag('Ctry', party.country)}${shown.join('')}</PstlAdr>`;
  }
  const [first = '', ...others] = lines;
  const [, number = '', street = first] = numbered.exec(first) ?? [];
  const building = toSepaText(others.join(' '), limits.building);
  return `<PstlAdr>${optional('StrtNm', toSepaText(street, limits.street))}${optional('BldgNb', toSepaText(number, limits.number))}${optional('BldgNm', building)}${place}${tag('Ctry', party.country)}</PstlAdr>`;
}

const agent = (bic: string) =>
  `<FinInstnId>${bic === '' ? '<Othr><Id>NOTPROVIDED</Id></Othr>' : tag('BICFI', bic.toUpperCase())}</FinInstnId>`;

/**
 * Writes the file in pieces; the same input gives the same bytes.
 * @throws Error for an amount of zero, or an identifier that is too long
 */
export function* writeSepaFile(file: SepaFile, transfers: readonly SepaTransfer[]): Generator<string> {
  if (transfers.length === 0) throw new Error('a credit transfer file needs transfers');
  const { debtor } = file;
  const total = transfers.reduce((sum, transfer) => sum + transfer.amountCents, 0n);
  const count = String(transfers.length);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">\n<CstmrCdtTrfInitn>\n';
  yield `<GrpHdr>${tag('MsgId', file.messageId)}${tag('CreDtTm', file.createdAt.toISOString().replace(/\.\d+Z$/, 'Z'))}${tag('NbOfTxs', count)}${tag('CtrlSum', toDecimal(total))}<InitgPty>${tag('Nm', toSepaName(debtor.name))}</InitgPty></GrpHdr>\n`;
  yield `<PmtInf>\n${tag('PmtInfId', `${file.messageId}-1`)}<PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg>${tag('NbOfTxs', count)}${tag('CtrlSum', toDecimal(total))}`;
  yield `<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt>${tag('Dt', file.executionDay)}</ReqdExctnDt>`;
  yield `<Dbtr>${tag('Nm', toSepaName(debtor.name))}${address(debtor, debtor.isStructured)}</Dbtr><DbtrAcct><Id>${tag('IBAN', debtor.iban)}</Id></DbtrAcct><DbtrAgt>${agent(debtor.bic)}</DbtrAgt><ChrgBr>SLEV</ChrgBr>\n`;
  for (const transfer of transfers) {
    if (transfer.amountCents <= 0n) throw new Error(`${transfer.endToEndId} has no amount`);
    if (transfer.endToEndId.length > limits.identifier) throw new Error(`${transfer.endToEndId} is too long`);
    yield `<CdtTrfTxInf><PmtId>${tag('EndToEndId', transfer.endToEndId)}</PmtId><Amt><InstdAmt Ccy="EUR">${toDecimal(transfer.amountCents)}</InstdAmt></Amt>${
      transfer.bic === '' ? '' : `<CdtrAgt>${agent(transfer.bic)}</CdtrAgt>`
    }<Cdtr>${tag('Nm', toSepaName(transfer.name))}${address(transfer, debtor.isStructured)}</Cdtr><CdtrAcct><Id>${tag('IBAN', transfer.iban)}</Id></CdtrAcct><RmtInf>${tag('Ustrd', toSepaText(transfer.remittance, limits.remittance))}</RmtInf></CdtTrfTxInf>\n`;
  }
  yield '</PmtInf>\n</CstmrCdtTrfInitn>\n</Document>\n';
}
