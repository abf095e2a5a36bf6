import { bankMessages } from '@regie/contract/bank-answers.ts';
import { expect, it } from 'vitest';
import { readStatusReport } from './pain002.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.10';
const report = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="${namespace}"><CstmrPmtStsRpt>
<GrpHdr><MsgId>VOP-1</MsgId><CreDtTm>2026-11-20T09:31:30Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>RG20261120-AB</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId><GrpSts>RVCM</GrpSts>
<StsRsnInf><AddtlInf>RVMC Mention légale de la banque</AddtlInf></StsRsnInf>
<NbOfTxsPerSts><DtldNbOfTxs>12</DtldNbOfTxs><DtldSts>RCVC</DtldSts></NbOfTxsPerSts></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>RG20261120-AB-1</OrgnlPmtInfId>
<TxInfAndSts><OrgnlEndToEndId>RG20261120-AB-7</OrgnlEndToEndId><TxSts>RVMC</TxSts>
<StsRsnInf><Rsn><Prtry>PN02</Prtry></Rsn><AddtlInf>Zélie Œuvrard</AddtlInf><AddtlInf>et fils</AddtlInf></StsRsnInf>
<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">20.50</InstdAmt></Amt><Cdtr><Pty><Nm>Z. Oeuvrard</Nm></Pty></Cdtr></OrgnlTxRef></TxInfAndSts>
</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
const read = (text: string, encoding: BufferEncoding = 'utf8') => readStatusReport([Buffer.from(text, encoding)]);

it('reads the status of the file, its counts, and each payment with the words of the bank', () => {
  const expected = {
    messageId: 'VOP-1',
    originalMessageId: 'RG20261120-AB',
    status: 'RVCM',
    counts: new Map([['RCVC', 12]]),
    groups: [
      {
        status: '',
        code: '',
        said: '',
        payments: [
          {
            ...{ endToEndId: 'RG20261120-AB-7', amount: '20.50', status: 'RVMC', code: 'PN02' },
            said: 'Zélie Œuvrard et fils',
          },
        ],
      },
    ],
  };
  expect(read(report)).toMatchObject(expected);
  // In pieces of one byte, and with prefixed names.
  expect(readStatusReport([...Buffer.from(report)].map((byte) => Uint8Array.of(byte)))).toMatchObject(expected);
  const prefixed = report
    .replaceAll(/<(\/?)([A-Z])/g, '<$1p:$2')
    .replace(`xmlns="${namespace}"`, `xmlns:p="${namespace}"`);
  expect(read(prefixed)).toMatchObject(expected);
});

it('reads the encoding that the file declares', () => {
  const latin = report.replace('UTF-8', 'ISO-8859-1').replace('Œuvrard', 'Duprès');
  expect(read(latin, 'latin1')).toMatchObject({ groups: [{ payments: [{ said: 'Zélie Duprès et fils' }] }] });
});

it.each([
  [
    'a pain.002 of another version',
    report.replace('.10"', '.03x"'),
    bankMessages.namespace(`${namespace.slice(0, -2)}03x`),
  ],
  [
    'the order itself',
    report.replace('pain.002.001.10', 'pain.001.001.09'),
    bankMessages.namespace(namespace.replace('002.001.10', '001.001.09')),
  ],
  ['a file without a namespace', report.replace(` xmlns="${namespace}"`, ''), bankMessages.namespace('')],
  ['a file that is cut', report.slice(0, 900), bankMessages.notXml(11)],
  ['a text', 'Bonjour', bankMessages.notXml(1)],
  ['an empty file', '', bankMessages.notXml(1)],
  ['an unknown entity', report.replace('Zélie', '&bombe;'), bankMessages.notXml(9)],
  ['an entity bomb', `<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>${report.slice(39)}`, bankMessages.doctype],
  ['an encoding of another kind', report.replace('UTF-8', 'UTF-7'), bankMessages.encoding('UTF-7')],
])('refuses %s by its name', (_, text, refusal) => {
  expect(read(text)).toBe(refusal);
});
