/** A SEPA credit transfer, pain.001.001.09, in the rules of the European Payments Council for files to a bank. */

export interface SepaParty {
  name: string;
  /** Street lines; town and country have fields of their own. */
  addressLines: readonly string[];
  postcode: string;
  town: string;
  /** ISO 3166 alpha-2. */
  country: string;
}

export interface SepaDebtor extends SepaParty {
  iban: string;
  /** Empty: the bank knows it by the IBAN. */
  bic: string;
}

export interface SepaTransfer extends SepaParty {
  endToEndId: string;
  amountCents: bigint;
  iban: string;
  bic: string;
  /** What the beneficiary reads on their statement. */
  remittance: string;
}

export interface SepaFile {
  messageId: string;
  createdAt: Date;
  /** yyyy-MM-dd. */
  executionDay: string;
  debtor: SepaDebtor;
}

const limits = { name: 70, town: 35, postcode: 16, line: 70, lines: 2, remittance: 140, identifier: 35 } as const;

const spelled: Record<string, string> = {
  œ: 'oe',
  Œ: 'OE',
  æ: 'ae',
  Æ: 'AE',
  ß: 'ss',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  '’': "'",
  '‘': "'",
  '–': '-',
  '—': '-',
  '&': '+',
  '€': 'EUR',
  '°': 'o',
};

/**
 * A text in the SEPA character set: Latin letters without accents, digits and `/ - ? : ( ) . , ' +`. What cannot be
 * written falls away; it neither begins nor ends with a slash, nor holds two in a row.
 */
export function toSepaText(text: string, maxLength: number): string {
  return [...text]
    .map((character) => spelled[character] ?? character)
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

/** The only characters of the set that XML reads itself are gone by now; this guards what is not ours to choose. */
const escapeXml = (text: string) => text.replaceAll(/[<>&"']/g, (character) => `&#${character.codePointAt(0) ?? 32};`);
const tag = (name: string, text: string) => `<${name}>${escapeXml(text)}</${name}>`;
const optional = (name: string, text: string) => (text === '' ? '' : tag(name, text));

/** `1234` as `12.34`. */
function toAmount(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function address(party: SepaParty): string {
  const lines = party.addressLines.map((line) => toSepaText(line, limits.line)).filter((line) => line !== '');
  return `<PstlAdr>${optional('PstCd', toSepaText(party.postcode, limits.postcode))}${tag('TwnNm', toSepaTown(party.town))}${tag('Ctry', party.country)}${lines
    .slice(0, limits.lines)
    .map((line) => tag('AdrLine', line))
    .join('')}</PstlAdr>`;
}

/** The bank by its BIC; the scheme finds it by the IBAN where none is given. */
const agent = (bic: string) =>
  `<FinInstnId>${bic === '' ? '<Othr><Id>NOTPROVIDED</Id></Othr>' : tag('BICFI', bic.toUpperCase())}</FinInstnId>`;

/**
 * Writes the file piece by piece. The same input gives the same bytes.
 * @throws Error for a transfer of nothing, or an identifier too long for the format
 */
export function* writeSepaFile(file: SepaFile, transfers: readonly SepaTransfer[]): Generator<string> {
  if (transfers.length === 0) throw new Error('a credit transfer of nobody');
  const { debtor } = file;
  const total = transfers.reduce((sum, transfer) => sum + transfer.amountCents, 0n);
  const count = String(transfers.length);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">\n<CstmrCdtTrfInitn>\n';
  yield `<GrpHdr>${tag('MsgId', file.messageId)}${tag('CreDtTm', file.createdAt.toISOString().replace(/\.\d+Z$/, 'Z'))}${tag('NbOfTxs', count)}${tag('CtrlSum', toAmount(total))}<InitgPty>${tag('Nm', toSepaName(debtor.name))}</InitgPty></GrpHdr>\n`;
  yield `<PmtInf>\n${tag('PmtInfId', `${file.messageId}-1`)}<PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg>${tag('NbOfTxs', count)}${tag('CtrlSum', toAmount(total))}`;
  yield `<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt>${tag('Dt', file.executionDay)}</ReqdExctnDt>`;
  yield `<Dbtr>${tag('Nm', toSepaName(debtor.name))}${address(debtor)}</Dbtr><DbtrAcct><Id>${tag('IBAN', debtor.iban)}</Id></DbtrAcct><DbtrAgt>${agent(debtor.bic)}</DbtrAgt><ChrgBr>SLEV</ChrgBr>\n`;
  for (const transfer of transfers) {
    if (transfer.amountCents <= 0n) throw new Error(`${transfer.endToEndId} transfers nothing`);
    if (transfer.endToEndId.length > limits.identifier) throw new Error(`${transfer.endToEndId} is too long`);
    yield `<CdtTrfTxInf><PmtId>${tag('EndToEndId', transfer.endToEndId)}</PmtId><Amt><InstdAmt Ccy="EUR">${toAmount(transfer.amountCents)}</InstdAmt></Amt>${
      transfer.bic === '' ? '' : `<CdtrAgt>${agent(transfer.bic)}</CdtrAgt>`
    }<Cdtr>${tag('Nm', toSepaName(transfer.name))}${address(transfer)}</Cdtr><CdtrAcct><Id>${tag('IBAN', transfer.iban)}</Id></CdtrAcct><RmtInf>${tag('Ustrd', toSepaText(transfer.remittance, limits.remittance))}</RmtInf></CdtTrfTxInf>\n`;
  }
  yield '</PmtInf>\n</CstmrCdtTrfInitn>\n</Document>\n';
}
