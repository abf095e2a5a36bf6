import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Release } from '@regie/contract/routes/releases.ts';
import { frAi } from '#src/domain/ai/ai.fr.ts';
import { AiField } from '#src/domain/ai/ai-field.tsx';
import { textsOf } from '#src/lib/texts.ts';
import { UrlField } from '#src/ui/fields.tsx';
import shared from '#src/ui/shared.module.css';
import { DayField, GenreField, LanguageField, YearField } from './release-fields.tsx';
import { frReleases } from './releases.fr.ts';

const t = frReleases.form;

export function releaseFormValues(release: Release | undefined) {
  const thisYear = new Date().getFullYear();
  return {
    ...textsOf(release, 'title', 'version', 'label', 'barcode', 'catalogNumber', 'publisherLink'),
    ...textsOf(
      release,
      'originalRealeaseDate',
      'digitalReleaseDate',
      'recordingOwnerName',
      'coverDetailsOwner',
      'coverAi',
    ),
    genre: release?.genre ?? null,
    subgenre: release?.subgenre ?? null,
    language: release?.language ?? null,
    yearOfRegistration: release ? release.yearOfRegistration : thisYear,
    coverDetailsYear: release ? release.coverDetailsYear : thisYear,
  };
}

interface ReleaseFormFieldsProps {
  form: Pick<UseFormReturnType<ReturnType<typeof releaseFormValues>>, 'getInputProps' | 'values'>;
  isLanguageRequired?: boolean;
  dateHint?: string;
}

/** The fields of the release form (product §15.4), without status and note. */
export function ReleaseFormFields({ form, isLanguageRequired = false, dateHint }: ReleaseFormFieldsProps) {
  const { values } = form;
  return (
    <>
      <fieldset className={shared.fieldset}>
        <legend>{t.identity}</legend>
        <div className={shared.fields}>
          <TextInput label={t.releaseTitle} required {...form.getInputProps('title')} />
          <TextInput label={t.version} {...form.getInputProps('version')} />
          <TextInput label={t.label} description={t.labelHint} {...form.getInputProps('label')} />
          <LanguageField
            label={t.language}
            required={isLanguageRequired}
            {...form.getInputProps('language')}
            value={values.language}
          />
          <GenreField label={t.genre} required {...form.getInputProps('genre')} value={values.genre} />
          <GenreField label={t.subgenre} {...form.getInputProps('subgenre')} value={values.subgenre} />
        </div>
      </fieldset>
      <fieldset className={shared.fieldset}>
        <legend>{t.dates}</legend>
        <div className={shared.fields}>
          <DayField
            label={t.originalDate}
            description={dateHint}
            required
            {...form.getInputProps('originalRealeaseDate')}
            value={values.originalRealeaseDate}
          />
          <DayField
            label={t.digitalDate}
            description={dateHint}
            required
            {...form.getInputProps('digitalReleaseDate')}
            value={values.digitalReleaseDate}
          />
        </div>
      </fieldset>
      <fieldset className={shared.fieldset}>
        <legend>{t.rights}</legend>
        <div className={shared.fields}>
          <TextInput label={t.recordingOwner} required {...form.getInputProps('recordingOwnerName')} />
          <YearField
            label={t.recordingYear}
            required
            {...form.getInputProps('yearOfRegistration')}
            value={values.yearOfRegistration}
          />
          <TextInput label={t.coverOwner} required {...form.getInputProps('coverDetailsOwner')} />
          <YearField label={t.coverYear} {...form.getInputProps('coverDetailsYear')} value={values.coverDetailsYear} />
          <AiField label={frAi.coverAi} {...form.getInputProps('coverAi')} />
        </div>
      </fieldset>
      <fieldset className={shared.fieldset}>
        <legend>{t.codes}</legend>
        <div className={shared.fields}>
          <TextInput
            label={t.barcode}
            description={t.barcodeHint}
            inputMode="numeric"
            {...form.getInputProps('barcode')}
          />
          <TextInput label={t.catalogNumber} {...form.getInputProps('catalogNumber')} />
          <UrlField className={shared.wide} label={t.publisherLink} {...form.getInputProps('publisherLink')} />
        </div>
      </fieldset>
    </>
  );
}
