import { isSirenValid, sirenOfVat } from '@regie/values/siren.ts';
import { messages } from './messages.ts';
import { vatRegimes } from './state-names.ts';
import { keysOf, z } from './zod.ts';

export const VatRegime = z.enum(keysOf(vatRegimes));
export type VatRegime = z.infer<typeof VatRegime>;

/** An address of the directory of electronic invoices (scheme 0225): a SIREN, alone or with `_` and what follows. */
export const isElectronicAddress = (text: string): boolean =>
  text.length <= 125 && /^\d{9}(_[A-Za-z0-9.+-]+)*$/.test(text) && isSirenValid(text.slice(0, 9));

const compact = z.string().transform((text) => text.replaceAll(/\s/g, ''));
const toNull = z.literal('').transform(() => null);

/** Typed with or without spaces; empty is null. */
export const Siren = compact.pipe(z.union([toNull, z.string().refine(isSirenValid, { error: messages.invalidSiren })]));
export const ElectronicAddress = compact.pipe(
  z.union([toNull, z.string().refine(isElectronicAddress, { error: messages.electronicAddress })]),
);

interface CompanyNumbers {
  siren?: string | null | undefined;
  tax?: string | null | undefined;
  electronicAddress?: string | null | undefined;
}

/** Numbers of different companies: French reasons by field. */
export function findCompanyFaults({ siren, tax, electronicAddress }: CompanyNumbers): Record<string, string> {
  const ofVat = sirenOfVat(tax ?? '');
  const own = siren || ofVat;
  return {
    ...(siren && ofVat && siren !== ofVat && { siren: messages.otherSiren(ofVat) }),
    ...(electronicAddress &&
      own &&
      !electronicAddress.startsWith(own) && { electronicAddress: messages.otherAddress(own) }),
  };
}
