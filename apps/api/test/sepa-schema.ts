import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';
import { hasSharedData, sharedData } from './shared-data.ts';

const path = 'sepa-xsd/pain.001.001.09.xsd';
export const hasSepaSchema = hasSharedData(path);

/** Errors of a bank file by the bank's schema. */
export async function sepaErrors(contents: string) {
  const schema = [readFileSync(sharedData(path), 'utf8')];
  return (await validateXML({ xml: [{ fileName: 'file.xml', contents }], schema })).errors;
}
