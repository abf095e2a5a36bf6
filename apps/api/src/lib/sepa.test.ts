import { expect, it } from 'vitest';
import { hasSepaSchema, sepaErrors } from '#test/sepa-schema.ts';
import { type SepaTransfer, toSepaName, toSepaText, writeSepaFile } from './sepa.ts';

const debtor = {
  name: 'Régie & Fils',
  addressLines: ['1 quai du Port', 'Bâtiment B', 'troisième ligne'],
  postcode: '13002',
  town: 'Marseille',
  country: 'FR',
  iban: 'FR1420041010050500013M02606',
  bic: 'PSSTFRPPXXX',
};
const transfer = (values: Partial<SepaTransfer> = {}): SepaTransfer => ({
  endToEndId: 'RG20261121-3F9A1C00-1',
  amountCents: 1999n,
  name: 'Awa <Diallo> "& Cie"',
  addressLines: ['12 rue de l’Été'],
  postcode: '13001',
  town: 'Marseille',
  country: 'FR',
  iban: 'DE89370400440532013000',
  bic: '',
  remittance: 'V-000001 Régie',
  ...values,
});
const header = {
  messageId: 'RG20261121-3F9A1C00',
  createdAt: new Date('2026-11-21T10:00:00.123Z'),
  executionDay: '2026-11-21',
  debtor,
};
const write = (transfers: SepaTransfer[]) => [...writeSepaFile(header, transfers)].join('');

it('uses the SEPA character set', () => {
  expect(toSepaText('Éditions Œuvre & Cœur, n° 12 “l’été”', 70)).toBe("Editions OEuvre + Coeur, no 12 l'ete");
  expect(toSepaText('//Chez/// Žižka//', 70)).toBe('Chez/ Zizka');
  expect(toSepaText('Møller Łódź Straße', 70)).toBe('Moller Lodz Strasse');
  expect(toSepaName('Ω'.repeat(20))).toBe('');
  expect(toSepaText('abc '.repeat(40), 10)).toBe('abc abc ab');
});

it('adds exact cents without floats', () => {
  const file = write(
    Array.from({ length: 10 }, (_, index) => transfer({ endToEndId: `E-${index}`, amountCents: 10n })),
  );
  expect(file.match(/<CtrlSum>1\.00<\/CtrlSum>/g)).toHaveLength(2);
  expect(file.match(/<NbOfTxs>10<\/NbOfTxs>/g)).toHaveLength(2);
  expect(file.match(/<InstdAmt Ccy="EUR">0\.10<\/InstdAmt>/g)).toHaveLength(10);
  expect(write([transfer({ amountCents: 123_456_789_012n })])).toContain(
    '<InstdAmt Ccy="EUR">1234567890.12</InstdAmt>',
  );
});

it('writes the same bytes twice, and refuses values that banks reject', () => {
  expect(write([transfer()])).toBe(write([transfer()]));
  expect(write([transfer()])).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
    <CstmrCdtTrfInitn>
    <GrpHdr><MsgId>RG20261121-3F9A1C00</MsgId><CreDtTm>2026-11-21T10:00:00Z</CreDtTm><NbOfTxs>1</NbOfTxs><CtrlSum>19.99</CtrlSum><InitgPty><Nm>Regie + Fils</Nm></InitgPty></GrpHdr>
    <PmtInf>
    <PmtInfId>RG20261121-3F9A1C00-1</PmtInfId><PmtMtd>TRF</PmtMtd><BtchBookg>true</BtchBookg><NbOfTxs>1</NbOfTxs><CtrlSum>19.99</CtrlSum><PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf><ReqdExctnDt><Dt>2026-11-21</Dt></ReqdExctnDt><Dbtr><Nm>Regie + Fils</Nm><PstlAdr><PstCd>13002</PstCd><TwnNm>Marseille</TwnNm><Ctry>FR</Ctry><AdrLine>1 quai du Port</AdrLine><AdrLine>Batiment B</AdrLine></PstlAdr></Dbtr><DbtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN></Id></DbtrAcct><DbtrAgt><FinInstnId><BICFI>PSSTFRPPXXX</BICFI></FinInstnId></DbtrAgt><ChrgBr>SLEV</ChrgBr>
    <CdtTrfTxInf><PmtId><EndToEndId>RG20261121-3F9A1C00-1</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">19.99</InstdAmt></Amt><Cdtr><Nm>Awa Diallo + Cie</Nm><PstlAdr><PstCd>13001</PstCd><TwnNm>Marseille</TwnNm><Ctry>FR</Ctry><AdrLine>12 rue de l&#39;Ete</AdrLine></PstlAdr></Cdtr><CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id></CdtrAcct><RmtInf><Ustrd>V-000001 Regie</Ustrd></RmtInf></CdtTrfTxInf>
    </PmtInf>
    </CstmrCdtTrfInitn>
    </Document>
    "
  `);
  expect(() => write([])).toThrow('needs transfers');
  expect(() => write([transfer({ amountCents: 0n })])).toThrow('has no amount');
  expect(() => write([transfer({ endToEndId: 'x'.repeat(36) })])).toThrow('too long');
});

it('writes addresses in their fields when the house asks for it', () => {
  const addressesOf = (addressLines: string[]) =>
    [...writeSepaFile({ ...header, debtor: { ...debtor, isStructured: true } }, [transfer({ addressLines })])]
      .join('')
      .match(/<PstlAdr>.*?<\/PstlAdr>/g);
  const place = '<PstCd>13001</PstCd><TwnNm>Marseille</TwnNm><Ctry>FR</Ctry></PstlAdr>';
  expect(addressesOf(['12 bis, rue de la Loge', 'Escalier 3'])).toEqual([
    `<PstlAdr><StrtNm>quai du Port</StrtNm><BldgNb>1</BldgNb><BldgNm>Batiment B troisieme ligne</BldgNm>${place.replace('13001', '13002')}`,
    `<PstlAdr><StrtNm>rue de la Loge</StrtNm><BldgNb>12 bis</BldgNb><BldgNm>Escalier 3</BldgNm>${place}`,
  ]);
  expect(addressesOf(['Le Panier'])?.[1]).toBe(`<PstlAdr><StrtNm>Le Panier</StrtNm>${place}`);
  expect(addressesOf([])?.[1]).toBe(`<PstlAdr>${place}`);
});

it.skipIf(!hasSepaSchema)('is valid pain.001.001.09 by its schema', async () => {
  const transfers = [
    transfer(),
    transfer({ endToEndId: 'E-2', bic: 'COBADEFFXXX', postcode: '', addressLines: [] }),
    transfer({
      endToEndId: 'E-3',
      name: 'É'.repeat(200),
      town: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
    }),
  ];
  expect(await sepaErrors(write(transfers))).toEqual([]);
  const broken = write(transfers).replace('<PmtMtd>TRF</PmtMtd>', '<PmtMtd>CASH</PmtMtd>');
  expect(await sepaErrors(broken)).not.toEqual([]);
});

it('writes 10 000 transfers within 250 MB', () => {
  const transfers = Array.from({ length: 10_000 }, (_, index) =>
    transfer({ endToEndId: `RG20261121-3F9A1C00-${index}`, amountCents: BigInt(index + 1) }),
  );
  const before = process.memoryUsage().rss;
  const file = Buffer.concat([...writeSepaFile(header, transfers)].map((piece) => Buffer.from(piece)));
  expect(file.toString().match(/<CdtTrfTxInf>/g)).toHaveLength(10_000);
  expect(file.toString()).toContain('<CtrlSum>500050.00</CtrlSum>');
  expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
});
