import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from '@playwright/test';
import { routes } from '@regie/contract/routes.ts';
import { extractText, getDocumentProxy } from 'unpdf';
import { Api } from './api.ts';
import type { Bookkeepers } from './staff.ts';
import { expect, type Login, signIn } from './test.ts';

/** French, of an account number nobody else has. */
export function makeIban(): string {
  const number = String(crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n)
    .padStart(13, '0')
    .slice(-13);
  const national = `3000600001${number}`;
  // F is 15, R is 27 (ISO 13616).
  const key = 98n - (BigInt(`${national}152700`) % 97n);
  return `FR${String(key).padStart(2, '0')}${national}`;
}

export const groupByFour = (iban: string) => (iban.match(/.{1,4}/g) ?? []).join(' ');

export const bankForm = (owner: string, iban: string) => ({
  owner,
  holderAddress: '3, rue Haute',
  holderPostcode: '44000',
  holderCity: 'Nantes',
  holderCountry: 'France',
  bankName: 'Banque du Port',
  bankAddress: '1, place du Marché',
  bankZipCode: '13001',
  bankCity: 'Marseille',
  bankCountry: 'France',
  iban,
  swift: 'AGRIFRPP',
});

/** An account that the bookkeepers made, with a balance, EUR, and a bank account to pay it to. */
export async function addPayee({ first, second }: Bookkeepers, name: { fname: string; lname: string }, income: number) {
  const owner = `${name.fname} ${name.lname}`;
  const iban = makeIban();
  const { data: account } = await first.call(routes.createProfile, {
    body: { ...name, country: 'France', income, reason: 'Reprise' },
  });
  const params = { id: account.id };
  const { pendingAdjustment } = (await second.call(routes.getProfile, { params })).data;
  if (pendingAdjustment) await second.call(routes.approveAdjustment, { params, body: { amountEur: income } });
  const { data: billing } = await first.call(routes.createBankAccount, { params, body: bankForm(owner, iban) });
  return { id: account.id, billingId: billing.id, owner, iban };
}

export async function balanceOf(api: Api, id: number): Promise<number> {
  return (await api.call(routes.getProfile, { params: { id } })).data.income;
}

export async function journalOf(api: Api, entity: string, id: number | string): Promise<string[]> {
  const { data } = await api.call(routes.listJournal, { query: { entity, entityId: id } });
  return data.map((entry) => entry.action).reverse();
}

/** Somebody's own page and calls, in a browser of their own. */
export async function openAs(browser: Browser, login: Login): Promise<{ page: Page; own: Api }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page, login.email, login.password);
  const own = new Api(page.request);
  await own.readCsrf();
  return { page, own };
}

/** A success; a form that leads away says it for a moment beside the next screen. */
export const successStatus = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).first();

/** Answers 'Vous êtes sure?' with its verb. */
export async function confirm(page: Page, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Vous êtes sure?' });
  await dialog.getByRole('button', { name: verb }).click();
  await expect(dialog).toBeHidden();
}

/** The text of a document that a button makes, and what of it stands beyond the right edge of its page. */
export async function readPdf(page: Page, button: Locator): Promise<{ name: string; text: string; beyond: string[] }> {
  const started = page.waitForEvent('download');
  await button.click();
  const download = await started;
  const bytes = new Uint8Array(await readFile(await download.path()));
  const document = await getDocumentProxy(bytes);
  const { text } = await extractText(document, { mergePages: true });
  const beyond: string[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    const sheet = await document.getPage(number);
    const { width } = sheet.getViewport({ scale: 1 });
    for (const item of (await sheet.getTextContent()).items)
      if ('str' in item && Number(item.transform[4]) + item.width > width) beyond.push(item.str);
  }
  return { name: download.suggestedFilename(), text: text.replaceAll(/\s+/g, ' '), beyond };
}

/** What stands between an XML file's tags of that name, attributes aside. */
export const valuesOf = (xml: string, tag: string) =>
  [...xml.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^<]*)</${tag}>`, 'g'))].map(([, value]) => value);
