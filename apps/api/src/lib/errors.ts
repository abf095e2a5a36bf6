import { type Envelope, type ErrorCode, errorStatus, type FieldErrors } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';

const defaultMessage: Record<ErrorCode, string> = {
  invalid_data: messages.invalidData,
  unauthorized: messages.unauthorized,
  forbidden: messages.forbidden,
  csrf_invalid: messages.csrf,
  not_found: messages.notFound,
  conflict: messages.conflict,
  too_large: messages.tooLarge,
  unsupported_type: messages.unsupportedType,
  validation_failed: messages.invalidData,
  too_many_requests: messages.tooManyRequests(60),
  server_error: messages.serverError,
  unavailable: messages.unavailable,
};

/** An error for the client: its code determines the HTTP status, its message is French (product §31.2). */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly errors: FieldErrors;
  readonly retryAfterSeconds: number | undefined;
  /** The session check also returns the CSRF token with a refusal (product §31.10). */
  readonly csrf: string | undefined;
  /** The upload's position, with the refusal of a misplaced chunk (product §34.12). */
  readonly data: object | null;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message = defaultMessage[code],
    details: Partial<Pick<AppError, 'errors' | 'retryAfterSeconds' | 'csrf' | 'data' | 'status' | 'headers'>> = {},
  ) {
    super(message);
    this.code = code;
    // Named errors of whole calls (`stepUp`, `again`) are no fields: clients that do not know them show `global`.
    this.errors = {
      ...(code === 'validation_failed' && details.errors ? {} : { global: message }),
      ...details.errors,
    };
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.csrf = details.csrf;
    this.data = details.data ?? null;
    this.status = details.status ?? errorStatus[code];
    this.headers = details.headers ?? {};
  }
}

export function errorBody(error: AppError): string {
  const body: Envelope<object | null> = {
    code: error.code,
    message: error.message,
    data: error.data,
    errors: error.errors,
    ...(error.csrf === undefined ? {} : { csrf: error.csrf }),
  };
  return JSON.stringify(body);
}

export const notFound = (message?: string) => new AppError('not_found', message);
/** @throws AppError not_found in the absence of a value */
export function orNotFound<Value>(value: Value, message?: string): NonNullable<Value> {
  if (value === undefined || value === null) throw notFound(message);
  return value;
}
export const conflict = (message?: string) => new AppError('conflict', message);
/** Errors by field, or of the whole record under `global`; warnings are added to that one. */
export function invalid({ global, ...errors }: FieldErrors, warnings: readonly string[] = []) {
  const globalError: FieldErrors = global === undefined ? {} : { global: [global, ...warnings].join('. ') };
  const message = globalError.global ?? Object.values(errors)[0] ?? messages.invalidData;
  return new AppError('validation_failed', message, { errors: { ...errors, ...globalError } });
}
