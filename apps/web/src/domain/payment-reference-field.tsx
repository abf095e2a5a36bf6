import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { maxReference } from '@regie/contract/routes/orders.ts';
import { frDocuments } from '@regie/documents/documents.fr.ts';
import { frRecords } from './records.fr.ts';

export function PaymentReferenceField(inputProps: GetInputPropsReturnType) {
  return (
    <TextInput
      label={frDocuments.invoice.paymentReference}
      description={frRecords.paymentReferenceHint}
      required
      maxLength={maxReference}
      {...inputProps}
    />
  );
}
