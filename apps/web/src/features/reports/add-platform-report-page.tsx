import { Accordion, Button } from '@mantine/core';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { useListState } from '#src/ui/list/list-state.ts';
import { MonthField } from '#src/ui/month-field.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import classes from './add-report.module.css';
import { CsvImport } from './csv-import.tsx';
import { useReportImport } from './report-import.ts';
import { frReports } from './reports.fr.ts';
import { SingleReportForm } from './single-report-form.tsx';

const t = frReports.addPlatform;

/** The month is closed on its own page. */
function ToMonth() {
  const { search } = useListState();
  const [month, setMonth] = useState(() => monthFromParam(search.month) ?? lastMonth());
  const to = monthToParam(month);
  return (
    <div className={`${classes.form} ${classes.stack}`}>
      <div className={classes.grid}>
        <MonthField label={t.automaticMonth} required value={month} onChange={(value) => setMonth(value ?? month)} />
      </div>
      <div className={classes.row}>
        <Button renderRoot={(props) => <Link {...props} to={paths.month(to ?? '')} />}>{t.toMonth}</Button>
      </div>
    </div>
  );
}

const lastMonth = () => monthToMs(addMonths(monthOfInstant(Date.now()), -1));

function ToDeletion() {
  return (
    <div className={`${classes.form} ${classes.stack}`}>
      <p className={classes.muted}>{t.byMonthText}</p>
      <div className={classes.row}>
        <Button
          renderRoot={(props) => <Link {...props} to={paths.imports} state={{ deletesMonth: true }} />}
          variant="default"
        >
          {t.toByMonth}
        </Button>
      </div>
    </div>
  );
}

const sections = [
  { value: 'single', title: t.single, hint: t.singleHint, Content: SingleReportForm },
  { value: 'automatic', title: t.automatic, hint: t.automaticHint, Content: ToMonth },
  { value: 'csv', title: t.csv, hint: t.csvHint, Content: CsvImport },
  { value: 'month', title: t.byMonth, hint: t.byMonthHint, Content: ToDeletion },
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
        className={classes.accordion}
        classNames={{ item: classes.item }}
        order={2}
      >
        {sections.map(({ value, title, hint, Content }) => (
          <Accordion.Item key={value} value={value}>
            <Accordion.Control>
              <span className={classes.title}>{title}</span>
              <span className={classes.hint}>{hint}</span>
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
