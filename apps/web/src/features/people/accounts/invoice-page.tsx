import { Button, Select, Stack } from '@mantine/core';
import { fieldNames } from '@regie/contract/field-names.ts';
import { messages } from '@regie/contract/messages.ts';
import {
  type Invoice,
  type InvoiceDetail,
  InvoiceItems,
  InvoiceStatusForm,
  InvoiceTransaction,
} from '@regie/contract/routes/invoices.ts';
import { routes } from '@regie/contract/routes.ts';
import { frDocuments } from '@regie/documents/documents.fr.ts';
import { invoiceFile, missingForFacturX } from '@regie/documents/factur-x.ts';
import { documentsOf, type IssuedDocument, invoiceLines, paymentLabel } from '@regie/documents/invoice.ts';
import { formatDate, formatPercent } from '@regie/values/formats.ts';
import { IconFileTypePdf } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { z } from 'zod';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { useHistoryState } from '#src/domain/history-state.ts';
import { PaymentReferenceField } from '#src/domain/payment-reference-field.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { useConfirmation } from '#src/ui/confirmation.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Form } from '#src/ui/form.tsx';
import { Money, MoneyCell } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { PageSkeleton } from '#src/ui/states.tsx';
import { accountName } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import { InvoiceBadge } from './invoice-badge.tsx';
import { consequenceOf, hintOf, isRefused, subscriptionEndOf } from './invoice-status.ts';

const t = frAccounts.invoices;

/** Required by the screen only: the reference of the payment that makes an order PAID (product §34.7). */
const StatusForm = InvoiceStatusForm.extend({ isReferenceDue: z.boolean() }).superRefine((form, context) => {
  if (form.isReferenceDue && !form.reference) {
    context.addIssue({ code: 'custom', path: ['reference'], message: messages.required(fieldNames.reference) });
  }
});

/** Without its record the screen redirects to the list (product §22.7, §39.1). */
const ToInvoices = ({ why }: { why: string }) => <RedirectWithProblem to={paths.invoices} why={t.failed(why)} />;

const invoiceQuery = (id: number) => apiQuery(['invoice', id], routes.getInvoice, { params: { id } });

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(invoiceQuery(id));

export default function InvoicePage() {
  const id = useIdParam();
  return id === undefined ? <ToInvoices why={fr.errors.notFoundText} /> : <InvoiceLoader key={id} id={id} />;
}

function InvoiceLoader({ id }: { id: number }) {
  const { invoice: cached } = useHistoryState();
  const invoice = useQuery(invoiceQuery(id));
  if (invoice.data) return <InvoiceView invoice={invoice.data} />;
  if (invoice.isError) return <ToInvoices why={errorSentence(invoice.error)} />;
  return cached?.id === id ? <InvoiceHeader invoice={cached} /> : <PageSkeleton />;
}

function InvoiceHeader({ invoice, actions }: { invoice: Invoice; actions?: React.ReactNode }) {
  return (
    <PageHeader
      title={t.order(invoice.id)}
      owner={{ id: invoice.Account.id, name: accountName(invoice.Account) }}
      trail={[{ label: frScreens.accounts.invoices, to: paths.accountInvoices(invoice.Account.id) }]}
      badge={<InvoiceBadge status={invoice.status} />}
      text={
        <>
          {invoice.invoiceNumber ? t.documentTitle(invoice.invoiceNumber) : t.notIssued}
          <div className={shared.figure}>
            <Money
              amount={invoice.totalAmountByLocation}
              currency={InvoiceItems.parse(JSON.parse(invoice.orderItems)).currency}
            />
          </div>
        </>
      }
      actions={actions}
    />
  );
}

function InvoiceView({ invoice }: { invoice: InvoiceDetail }) {
  const queryClient = useQueryClient();
  const { act, isBusy: isMaking, failure, setFailure } = useAct({ reloads: 'nothing' });
  const { ask, question } = useConfirmation();
  const documents = documentsOf(invoice);
  const latest = documents.at(-1);
  const other = invoice.otherPaid ?? invoice.otherWaiting;
  const { currency } = InvoiceItems.parse(JSON.parse(invoice.orderItems));
  // An order of 0, or paid by card, has no payment reference.
  const isReferenceDue = (status: string) =>
    status === 'PAID' && invoice.status !== 'PAID' && !invoice.isPaidByCard && invoice.totalAmountByLocation > 0;
  const makePdf = (issued: IssuedDocument) =>
    act(async () => {
      const { downloadPdf } = await import('#src/lib/pdf.ts');
      await downloadPdf(invoiceFile(invoice, issued));
    });
  return (
    <RecordPage
      header={
        <InvoiceHeader
          invoice={invoice}
          actions={
            latest && (
              <Button leftSection={buttonIcon(IconFileTypePdf)} loading={isMaking} onClick={() => makePdf(latest)}>
                {latest.kind === 'invoice' ? t.pdf : t.creditNotePdf}
              </Button>
            )
          }
        />
      }
      side={<InvoiceFacts invoice={invoice} />}
    >
      <Message tone="error" text={failure} onDismiss={setFailure} />
      {documents.map((issued) => {
        const missing = missingForFacturX(invoice, issued).join(', ');
        if (missing === '') return undefined;
        return (
          <Notice key={issued.number} tone="note">
            {frDocuments.facturX.plain(titleOf(issued), missing)}
          </Notice>
        );
      })}
      <Section title={t.lines}>
        <PlainTable name={t.lines}>
          <tbody>
            {invoiceLines(invoice).map((line) => (
              <tr key={line.label}>
                <th scope="row">{line.label}</th>
                <MoneyCell amount={line.amount} currency={currency} />
              </tr>
            ))}
            <tr>
              <th scope="row">{t.total}</th>
              <td data-align="right">
                <strong>
                  <Money amount={invoice.totalAmountByLocation} currency={currency} />
                </strong>
              </td>
            </tr>
            <tr>
              <th scope="row">{t.vat(formatPercent(invoice.vatPercent))}</th>
              <MoneyCell amount={invoice.vatAmount} currency={currency} />
            </tr>
          </tbody>
        </PlainTable>
      </Section>
      {documents.length > 1 && <Documents documents={documents} isMaking={isMaking} onDownload={makePdf} />}
      <Section title={t.setStatus}>
        {other !== null && (
          <Notice tone="note">
            <Link className={shared.link} to={paths.invoice(other)}>
              {invoice.otherPaid === null ? messages.orderWaits(other) : messages.releasePaid(other)}
            </Link>
          </Notice>
        )}
        <Form
          schema={StatusForm}
          initialValues={{ status: invoice.status, reference: '' }}
          toBody={(values) => ({
            status: values.status,
            isReferenceDue: isReferenceDue(values.status),
            reference: isReferenceDue(values.status) ? values.reference : undefined,
          })}
          confirm={async ({ status }) => {
            const consequence = status === invoice.status ? undefined : consequenceOf(invoice, status);
            const name = t.question(frRecords.order(invoice.id), accountName(invoice.Account));
            return consequence === undefined || ask({ name, consequence, verb: t.verb[status] });
          }}
          submit={({ status, reference }, options) =>
            api(routes.editInvoice, { params: { id: invoice.id }, body: { status, reference }, ...options })
          }
          onSuccess={({ data }) => queryClient.setQueryData(['invoice', invoice.id], data)}
          submitLabel={t.save}
          hasSaveBar
        >
          {(form) => (
            <Stack gap={12}>
              <Select
                label={t.column.status}
                description={hintOf(invoice, form.values.status)}
                required
                allowDeselect={false}
                data={(['PENDING', 'PAID', 'CANCEL'] as const).map((value) => ({
                  value,
                  label: t.status[value],
                  disabled: isRefused(invoice, value),
                }))}
                {...form.getInputProps('status')}
              />
              {isReferenceDue(form.values.status) && <PaymentReferenceField {...form.getInputProps('reference')} />}
            </Stack>
          )}
        </Form>
        {question}
      </Section>
    </RecordPage>
  );
}

const titleOf = (issued: IssuedDocument) =>
  issued.kind === 'invoice' ? t.documentTitle(issued.number) : t.creditNoteTitle(issued.number);

function Documents({
  documents,
  isMaking,
  onDownload,
}: {
  documents: readonly IssuedDocument[];
  isMaking: boolean;
  onDownload: (issued: IssuedDocument) => void;
}) {
  const creditOf = (number: string) =>
    documents.find((one) => one.kind === 'creditNote' && one.invoiceNumber === number)?.number;
  return (
    <Section title={t.documents}>
      <PlainTable name={t.documents}>
        <tbody>
          {documents.map((issued) => {
            const credit = creditOf(issued.number);
            return (
              <tr key={issued.number}>
                <th scope="row">{titleOf(issued)}</th>
                <td>{issued.issuedAt !== null && <DateText ms={issued.issuedAt} />}</td>
                <td>
                  {issued.kind === 'creditNote' && `${t.creditedInvoice} ${issued.invoiceNumber}`}
                  {issued.kind === 'invoice' && credit !== undefined && `${t.creditNote} ${credit}`}
                </td>
                <td>
                  {issued.kind === 'invoice' &&
                    issued.payment &&
                    `${paymentLabel(issued.payment)}${fr.common.colon}${issued.payment.id}`}
                </td>
                <td data-align="right">
                  <SmallButton
                    disabled={isMaking}
                    aria-label={t.download(titleOf(issued))}
                    onClick={() => onDownload(issued)}
                  >
                    PDF
                  </SmallButton>
                </td>
              </tr>
            );
          })}
        </tbody>
      </PlainTable>
    </Section>
  );
}

function InvoiceFacts({ invoice }: { invoice: InvoiceDetail }) {
  const transaction = InvoiceTransaction.parse(JSON.parse(invoice.transactionDetails));
  const facts = [
    {
      label: t.customer,
      value: <AccountLink id={invoice.Account.id}>{accountName(invoice.Account)}</AccountLink>,
    },
    {
      label: t.release,
      value: invoice.release?.status ? (
        <Link className={shared.link} to={paths.release(invoice.release.id)}>
          {invoice.release.title}
        </Link>
      ) : (
        invoice.release?.title
      ),
    },
    { label: t.barcode, value: invoice.release?.barcode },
    { label: t.column.plan, value: t.plan[invoice.plan] },
    { label: t.column.createdAt, value: <DateText ms={invoice.createdAt} /> },
    { label: t.issuedAt, value: invoice.issuedAt !== null && <DateText ms={invoice.issuedAt} /> },
    { label: t.paidAt, value: invoice.paidAt !== null && <DateText ms={invoice.paidAt} /> },
    invoice.cancelledAt === null
      ? { label: t.dueDate, value: subscriptionEndOf(invoice) }
      : invoice.plan === 'label'
        ? { label: t.terminated, value: t.terminatedOn(formatDate(invoice.cancelledAt)) }
        : { label: t.cancelledAt, value: <DateText ms={invoice.cancelledAt} /> },
    { label: paymentLabel({ isCard: invoice.isPaidByCard }), value: transaction.id },
    { label: t.receipt, value: transaction.receipt_email },
  ];
  return (
    <Section title={fr.common.facts}>
      <Facts facts={facts} />
    </Section>
  );
}
