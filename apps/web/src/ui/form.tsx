import { Box, Button, Group, Loader, Stack } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { messages } from '@regie/contract/messages.ts';
import { z } from '@regie/contract/zod.ts';
import { type FormEvent, Fragment, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { type ApiAnswer, ApiError, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { schemaErrors } from '#src/lib/schema-errors.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from './alerts.tsx';
import classes from './form.module.css';

type Values = Record<string, unknown>;

export interface Success {
  text: ReactNode;
  isInfo?: boolean;
}

export interface FormProps<FormValues extends Values, Schema extends z.core.$ZodType, Data> {
  schema: Schema;
  /** Read once: key the form by the record's id. */
  initialValues: FormValues;
  /** The schema's input, when it differs from the fields (the id of a picked record). */
  toBody?: (values: FormValues) => unknown;
  /** `idempotencyKey` is the same while the same values are retried. */
  submit: (body: z.output<Schema>, options: { idempotencyKey: string }) => Promise<ApiAnswer<Data>>;
  onSuccess?: (answer: ApiAnswer<Data>, form: UseFormReturnType<FormValues>) => void;
  onClose?: () => void;
  submitLabel: string;
  busyLabel?: string;
  secondary?: ReactNode | ((form: UseFormReturnType<FormValues>) => ReactNode);
  children: (form: UseFormReturnType<FormValues>) => ReactNode;
  isClearedOnSuccess?: boolean;
  isHiddenOnSuccess?: boolean;
  afterSuccess?: ReactNode;
  /** A bar shows unsaved changes. `new`: its button is primary from the start. `always`: in a long dialog. */
  hasSaveBar?: boolean | 'new' | 'always';
  isResettable?: boolean;
  onDirtyChange?: (isDirty: boolean) => void;
  /** For a record that changed meanwhile (409): the input is kept until the user reloads. */
  onReload?: () => Promise<unknown>;
  fullWidth?: boolean;
  /** Instead of the response's message; `isInfo` when the request is not in effect yet. */
  successMessage?: (answer: ApiAnswer<Data>, values: FormValues) => Success;
  confirm?: (body: z.output<Schema>) => Promise<boolean>;
}

export interface FieldProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  error?: ReactNode;
}

/** For values that are not text, e.g. a month or a record, whose error is under the name of its id. */
export function fieldProps<FormValues, Name extends string & keyof FormValues>(
  form: UseFormReturnType<FormValues>,
  name: Name,
  errorName: string = name,
): FieldProps<FormValues[Name]> {
  return {
    value: form.values[name],
    onChange: (value) => {
      // `name` is a direct field, so its path has the value's type.
      form.setFieldValue(name, value as never);
      form.clearFieldError(errorName);
    },
    error: form.errors[errorName],
  };
}

function nameOf(field: HTMLElement): string {
  const isBox = field.matches('[type="checkbox"], [type="radio"], [role="radio"]');
  const group = isBox
    ? field.closest('[role="group"], [role="radiogroup"]')?.getAttribute('aria-labelledby')
    : undefined;
  const groupLabel = group ? document.getElementById(group) : null;
  const [label] = groupLabel
    ? [groupLabel]
    : field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement
      ? (field.labels ?? [])
      : [];
  const words = [...(label?.childNodes ?? [])].filter((node) => node.nodeType === Node.TEXT_NODE);
  return words.map((node) => node.textContent).join('') || field.getAttribute('aria-label') || label?.textContent || '';
}

/** The contract's rules: errors beside the fields, focus on the first one, a summary for screen readers. */
export function Form<FormValues extends Values, Schema extends z.core.$ZodType, Data>(
  props: FormProps<FormValues, Schema, Data>,
) {
  const { schema, initialValues, toBody, submit, onSuccess, submitLabel, children } = props;
  const element = useRef<HTMLFormElement>(null);
  const alerts = useRef<HTMLDivElement>(null);
  const [success, setSuccess] = useState<Success>();
  /** The number of saves: saved values are not submitted again until they change. */
  const [saves, setSaves] = useState(0);
  const [failure, setFailure] = useState<string>();
  const [isStale, setIsStale] = useState(false);
  const [summary, setSummary] = useState('');
  const [refusals, setRefusals] = useState(0);
  const [resets, setResets] = useState(0);
  const bodyOf = (values: FormValues) => (toBody ? toBody(values) : values);

  const form = useForm<FormValues>({
    initialValues,
    validate: (values) => schemaErrors(schema, bodyOf(values)),
    validateInputOnBlur: false,
    clearInputErrorOnChange: true,
    onValuesChange: () => setSuccess(undefined),
  });
  const showErrors = (errors: Record<string, string>) => {
    form.setErrors(errors);
    setRefusals((count) => count + 1);
  };
  const showFailure = (sentence: string | undefined, error?: unknown) => {
    const refusal = error instanceof ApiError ? error : undefined;
    const { global, ...fields } = refusal?.errors ?? {};
    const hasFields = Object.keys(fields).length > 0;
    if (hasFields) showErrors(fields);
    // A capability revoked meanwhile does not discard the input (`RightGate`).
    const isPlainRefusal = refusal?.code === 'forbidden' && refusal.message === messages.forbidden;
    if (isPlainRefusal) setFailure(fr.form.noRight);
    else setFailure(global || !hasFields ? sentence : undefined);
    setIsStale(refusal?.code === 'conflict');
  };
  const { run, isBusy } = useAct({ onFailure: showFailure, reloads: 'form' });
  const isSaved = success !== undefined || (saves > 0 && !form.isDirty());
  const hasChanges = form.isDirty() && !isBusy && success === undefined;
  // Also while submitting: the response may be that the session is over.
  useUnsavedChanges(form.isDirty() && success === undefined, hasChanges);
  const tellDirty = useEffectEvent((isDirty: boolean) => props.onDirtyChange?.(isDirty));
  useEffect(() => {
    tellDirty(hasChanges);
    return () => tellDirty(false);
  }, [hasChanges]);

  const findInvalid = () => [...(element.current?.querySelectorAll<HTMLElement>('[aria-invalid="true"]') ?? [])];
  const name = useEffectEvent(() => {
    const names = [...new Set(findInvalid().map(nameOf))];
    setSummary(refusals === 0 || names.length === 0 ? '' : fr.form.errorSummary(names));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: A field that is corrected leaves the summary.
  useEffect(() => name(), [form.errors]);
  // Once the errors are rendered: focus the first one; errors without a field here are shown above.
  const onRefused = useEffectEvent(() => {
    const [first] = findInvalid();
    if (first) first.focus();
    else setFailure(Object.values(form.errors).find((text) => typeof text === 'string'));
  });
  useEffect(() => {
    if (refusals > 0) onRefused();
  }, [refusals]);

  // Alerts are above the fields and the button is below: on a long form the result would be out of view.
  useEffect(() => {
    if (failure || success) alerts.current?.scrollIntoView({ block: 'nearest' });
  }, [failure, success]);
  const emptied = props.isClearedOnSuccess ? saves : 0;
  // The focused field is replaced by an empty one.
  useEffect(() => {
    if (emptied > 0) alerts.current?.focus();
  }, [emptied]);

  const send = async (values: FormValues) => {
    const parsed = z.safeParse(schema, bodyOf(values));
    if (!parsed.success) return;
    if (props.confirm && !(await props.confirm(parsed.data))) return;
    setSuccess(undefined);
    await run(async (options) => {
      const answer = await submit(parsed.data, options);
      // Fields changed by the response would hide the message.
      onSuccess?.(answer, form);
      if (props.onClose) flashSuccess(answer.message);
      props.onClose?.();
      if (props.isClearedOnSuccess) form.reset();
      form.resetDirty();
      if (props.isResettable) form.setInitialValues(form.getValues());
      setSuccess(props.successMessage?.(answer, values) ?? { text: answer.message });
      setSaves((count) => count + 1);
    }, parsed.data);
  };

  const cancel = () => {
    form.reset();
    form.clearErrors();
    setFailure(undefined);
    setResets((count) => count + 1);
  };

  const reload = async () => {
    try {
      await props.onReload?.();
    } catch (error) {
      setFailure(errorSentence(error));
    }
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Submit events of a form in a dialog bubble to the form that renders it.
    event.stopPropagation();
    if (isBusy || isSaved) return;
    const errors = schemaErrors(schema, bodyOf(form.values));
    if (Object.keys(errors).length > 0) {
      showErrors(errors);
      return;
    }
    form.clearErrors();
    void send(form.values);
  };

  const secondary = typeof props.secondary === 'function' ? props.secondary(form) : props.secondary;
  const isFinished = saves > 0 && props.isHiddenOnSuccess;
  return (
    <form ref={element} noValidate onSubmit={onSubmit} className={classes.form}>
      <Stack gap="md">
        {(failure || success) && (
          <div ref={alerts} tabIndex={-1} className={classes.alerts}>
            {failure && (
              <Notice tone="error" onDismiss={() => setFailure(undefined)}>
                {failure}
                {isStale && props.onReload && (
                  <Box mt={8}>
                    <Button size="xs" variant="default" onClick={() => void reload()}>
                      {fr.form.reload}
                    </Button>
                  </Box>
                )}
              </Notice>
            )}
            <Message tone={success?.isInfo ? 'info' : 'success'} text={success?.text} onDismiss={setSuccess} />
          </div>
        )}
        {/* Fields keep their own text while typing. */}
        {isFinished ? props.afterSuccess : <Fragment key={`${emptied} ${resets}`}>{children(form)}</Fragment>}
        {!isFinished && (
          <Group
            justify="flex-end"
            gap="sm"
            className={classes.footer}
            data-bar={props.hasSaveBar === 'always' || (props.hasSaveBar && form.isDirty()) || undefined}
          >
            {/* Also for screen readers: focus goes to the first field only. */}
            <span role="alert" className={classes.unsaved} hidden={summary === ''}>
              {summary}
            </span>
            {props.hasSaveBar && form.isDirty() && summary === '' && (
              <span className={classes.unsaved}>{fr.form.unsavedBar}</span>
            )}
            {!props.fullWidth && secondary}
            {props.isResettable && form.isDirty() && (
              <Button variant="default" disabled={isBusy} onClick={cancel}>
                {fr.common.cancel}
              </Button>
            )}
            <Button
              type="submit"
              loading={isBusy && props.busyLabel === undefined}
              leftSection={isBusy && props.busyLabel ? <Loader size={14} color="currentColor" /> : undefined}
              aria-busy={isBusy || undefined}
              disabled={isSaved}
              fullWidth={props.fullWidth}
              // Beside a record, saving comes first once there is something to save.
              variant={props.hasSaveBar === true && !form.isDirty() ? 'default' : 'filled'}
            >
              {isBusy && props.busyLabel ? props.busyLabel : submitLabel}
            </Button>
            {props.fullWidth && secondary}
          </Group>
        )}
      </Stack>
    </form>
  );
}
