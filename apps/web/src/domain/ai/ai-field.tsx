import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { AiContribution, aiLabel } from '@regie/contract/releases.ts';

/** Its empty value is "not declared". */
export const AiField = (props: NativeSelectProps) => (
  <NativeSelect
    {...props}
    data={[
      { value: '', label: aiLabel(null) },
      ...AiContribution.options.map((value) => ({ value, label: aiLabel(value) })),
    ]}
  />
);
