import type { AuditEntity } from '@regie/contract/audit.ts';

const words = (text: string) => text.split(/\s+/).filter(Boolean);

/** The fields of a journal entry that name or describe a person, by the kind of its record. Erasure redacts them. */
export const personalFields: Partial<Record<AuditEntity, readonly string[]>> = {
  account: words('fname lname email company address address2 city postcode country tax timezone memo reason'),
  billing_account: words(`owner email holderAddress holderAddress2 holderCity holderCountry holderPostcode bankName
    bankCountry bankAddress bankAddress2 bankCity bankZipCode iban swift changedBy`),
  contract: words('title'),
  ticket: words('title url note'),
  payout: words('destination reason'),
  order: words('reference cardTransactionId'),
  release: words('recordingOwnerName coverDetailsOwner note label digitalLabel publisherLink'),
  track: words('recordingOwnerName audio'),
  mail: words('to subject'),
  admin: words('fname lname email factor device address fingerprint issuer name'),
  invitation: words('email'),
};

/** Texts of entries that are no data about an account or an admin: codes, works, files of stores, settings, warnings without names. */
export const impersonalFields: readonly string[] = words(`
  setting fullname provider genre subgenre language version barcode catalogNumber digitalGenre digitalSubgenre
  sha256 isrc unsavedRows warnings announced starTime startAt endAt artists contributors musicians editors
  spotifyId appleMusicId promoCode invoiceNumber creditNote creditedInvoice currency promo_code:name description
  messageId file fileName source declaredCurrency charset decimalMark sheets member slug urls house.name
  house.address house.postcode house.city house.country house.siren house.vatNumber house.iban house.bic
  house.email houseBank houseBank.iban houseBank.bic isrcPrefixes licenceTemplate contractTemplates.label
  contractTemplates.template passwordResetLetter.subject passwordResetLetter.text passwordChangedLetter.subject
  passwordChangedLetter.text invitationLetter.subject invitationLetter.text emailChangedLetter.subject
  emailChangedLetter.text billingChangedLetter.subject billingChangedLetter.text accessChangedLetter.subject
  accessChangedLetter.text factorCodeLetter.subject factorCodeLetter.text newDeviceLetter.subject
  newDeviceLetter.text location`);
