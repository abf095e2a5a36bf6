import { Accordion, Box } from '@mantine/core';
import { useState } from 'react';
import { useListState } from '#src/ui/list/list-state.ts';
import { PageHeader } from '#src/ui/page-header.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './add-report.module.css';
import { AutomaticReport } from './automatic-report.tsx';
import { CsvImport } from './csv-import.tsx';
import { DeleteMonth } from './delete-month.tsx';
import { useReportImport } from './report-import.ts';
import { frReports } from './reports.fr.ts';
import { SingleReportForm } from './single-report-form.tsx';

const t = frReports.addPlatform;

const sections = [
  { value: 'single', title: t.single, hint: t.singleHint, Content: SingleReportForm },
  { value: 'automatic', title: t.automatic, hint: t.automaticHint, Content: AutomaticReport },
  { value: 'csv', title: t.csv, hint: t.csvHint, Content: CsvImport },
  { value: 'month', title: t.byMonth, hint: t.byMonthHint, Content: DeleteMonth },
];

export default function AddPlatformReportPage() {
  const { search } = useListState();
  const running = useReportImport();
  const [open, setOpen] = useState<string | null>(running.stage === 'none' ? (search.section ?? 'single') : 'csv');
  return (
    <>
      <PageHeader title={t.title} />
      <Accordion
        value={open}
        onChange={setOpen}
        variant="separated"
        maw={960}
        classNames={{ item: classes.item }}
        order={2}
      >
        {sections.map(({ value, title, hint, Content }) => (
          <Accordion.Item key={value} value={value}>
            <Accordion.Control>
              <Box component="span" display="block" fz={14} fw={600}>
                {title}
              </Box>
              <Box component="span" display="block" mt={2} fw={400} className={shared.note}>
                {hint}
              </Box>
            </Accordion.Control>
            <Accordion.Panel>
              <Content />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </>
  );
}
