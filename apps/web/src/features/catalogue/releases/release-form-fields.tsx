import { TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Release } from '@regie/contract/routes/releases.ts';
import { UrlField } from '#src/ui/fields.tsx';
import shared from '#src/ui/shared.module.css';
import { DayField, GenreField, LanguageField, YearField } from './release-fields.tsx';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases.form;

/** The initial values of the release form; without a release, empty except for the current year. */
export function releaseFormValues(release: Release | undefined) {
  const thisYear = new Date().getFullYear();
  return {
    title: release?.title ?? '',
    version: release?.version ?? '',
    label: release?.label ?? '',
    genre: release?.genre ?? null,
    subgenre: release?.subgenre ?? null,
    language: release?.language ?? null,
    originalRealeaseDate: release?.originalRealeaseDate ?? '',
    digitalReleaseDate: release?.digitalReleaseDate ?? '',
    publisherLink: release?.publisherLink ?? '',
    yearOfRegistration: release ? release.yearOfRegistration : thisYear,
    recordingOwnerName: release?.recordingOwnerName ?? '',
    coverDetailsOwner: release?.coverDetailsOwner ?? '',
    coverDetailsYear: release ? release.coverDetailsYear : thisYear,
    barcode: release?.barcode ?? '',
    catalogNumber: release?.catalogNumber ?? '',
  };
}
export type ReleaseFormValues = ReturnType<typeof releaseFormValues>;

interface ReleaseFormFieldsProps {
  form: Pick<UseFormReturnType<ReleaseFormValues>, 'getInputProps' | 'values'>;
}

/** The fields of the release form (product §15.4), without status and note. */
export function ReleaseFormFields({ form }: ReleaseFormFieldsProps) {
  const { values } = form;
  return (
    <>
      <fieldset className={classes.fields}>
        <legend>{t.identity}</legend>
        <div className={classes.grid}>
          <TextInput label={t.releaseTitle} required {...form.getInputProps('title')} />
          <TextInput label={t.version} {...form.getInputProps('version')} />
          <TextInput label={t.label} description={t.labelHint} {...form.getInputProps('label')} />
          <LanguageField label={t.language} {...form.getInputProps('language')} value={values.language} />
          <GenreField label={t.genre} required {...form.getInputProps('genre')} value={values.genre} />
          <GenreField label={t.subgenre} {...form.getInputProps('subgenre')} value={values.subgenre} />
        </div>
      </fieldset>
      <fieldset className={classes.fields}>
        <legend>{t.dates}</legend>
        <div className={classes.grid}>
          <DayField
            label={t.originalDate}
            required
            {...form.getInputProps('originalRealeaseDate')}
            value={values.originalRealeaseDate}
          />
          <DayField
            label={t.digitalDate}
            required
            {...form.getInputProps('digitalReleaseDate')}
            value={values.digitalReleaseDate}
          />
        </div>
      </fieldset>
      <fieldset className={classes.fields}>
        <legend>{t.rights}</legend>
        <div className={classes.grid}>
          <TextInput label={t.recordingOwner} required {...form.getInputProps('recordingOwnerName')} />
          <YearField
            label={t.recordingYear}
            required
            {...form.getInputProps('yearOfRegistration')}
            value={values.yearOfRegistration}
          />
          <TextInput label={t.coverOwner} required {...form.getInputProps('coverDetailsOwner')} />
          <YearField label={t.coverYear} {...form.getInputProps('coverDetailsYear')} value={values.coverDetailsYear} />
        </div>
      </fieldset>
      <fieldset className={classes.fields}>
        <legend>{t.codes}</legend>
        <div className={classes.grid}>
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
