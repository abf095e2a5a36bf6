import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';

export const testCardKeys = {
  secretKey: 'sk_test_regie',
  publicKey: 'pk_test_regie',
  webhookSecret: 'whsec_regie_test_secret',
};

interface Intent {
  id: string;
  amount: number;
  currency: string;
  status: string;
  metadata: Record<string, string>;
  receipt_email: string | null;
}

/** A partial Stripe API for orders: local HTTP, form-encoded, with idempotency keys. */
export interface StripeApi {
  address: { host: string; port: number; protocol: 'http' };
  intents: Map<string, Intent>;
  /** Method and path of each call, oldest first. */
  calls: string[];
  /** The error to answer with, until reset. */
  failure: { status: number; type: string; code: string } | undefined;
  /** Runs before the next call is answered. */
  beforeAnswer: (() => Promise<void>) | undefined;
  close(): Promise<void>;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_test' });
  response.end(JSON.stringify(body));
}

const toIntent = (intent: Intent) => ({
  ...intent,
  object: 'payment_intent',
  amount_received: intent.status === 'succeeded' ? intent.amount : 0,
  client_secret: `${intent.id}_secret_test`,
  last_payment_error: null,
});

export async function startStripeApi(): Promise<StripeApi> {
  const intents = new Map<string, Intent>();
  const answered = new Map<string, { params: string; id: string }>();
  const refusal = (type: string, code: string) => ({ error: { type, code, message: `refused: ${code}` } });

  const server = createServer((request, response) => {
    void handle(request, response).catch(() => send(response, 500, refusal('api_error', 'broken_double')));
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readForm(request);
    api.calls.push(`${request.method} ${request.url}`);
    await api.beforeAnswer?.();
    if (request.headers.authorization !== `Bearer ${testCardKeys.secretKey}`) {
      return send(response, 401, refusal('invalid_request_error', 'api_key_invalid'));
    }
    if (api.failure) return send(response, api.failure.status, refusal(api.failure.type, api.failure.code));
    const id = /^\/v1\/payment_intents(?:\/(\w+))?$/.exec(request.url ?? '')?.[1];
    const known = id === undefined ? undefined : intents.get(id);
    if (id !== undefined && !known) return send(response, 404, refusal('invalid_request_error', 'resource_missing'));
    if (known) {
      if (request.method === 'POST') known.amount = Number(form.get('amount') ?? known.amount);
      return send(response, 200, toIntent(known));
    }
    const key = String(request.headers['idempotency-key'] ?? '');
    const before = answered.get(key);
    if (before && before.params !== form.toString()) return send(response, 400, refusal('idempotency_error', 'reused'));
    const intent: Intent = (before && intents.get(before.id)) ?? {
      id: `pi_${intents.size + 1}`,
      amount: Number(form.get('amount')),
      currency: form.get('currency') ?? '',
      status: 'requires_payment_method',
      metadata: Object.fromEntries(
        [...form].flatMap(([name, value]) => {
          const field = /^metadata\[(\w+)\]$/.exec(name)?.[1];
          return field === undefined ? [] : [[field, value]];
        }),
      ),
      receipt_email: form.get('receipt_email'),
    };
    intents.set(intent.id, intent);
    answered.set(key, { params: form.toString(), id: intent.id });
    return send(response, 200, toIntent(intent));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api: StripeApi = {
    address: { host: '127.0.0.1', port, protocol: 'http' },
    intents,
    calls: [],
    failure: undefined,
    beforeAnswer: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return api;
}

let events = 0;

/** A payment event like Stripe's, with its signature header. */
export function signEvent(
  type: string,
  intent: Record<string, unknown>,
  options: { id?: string; secret?: string; timestamp?: number } = {},
): { payload: string; signature: string } {
  events += 1;
  const payload = JSON.stringify({
    id: options.id ?? `evt_${events}`,
    object: 'event',
    type,
    created: Math.floor(Date.now() / 1000),
    data: { object: { object: 'payment_intent', last_payment_error: null, receipt_email: null, ...intent } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: options.secret ?? testCardKeys.webhookSecret,
    ...(options.timestamp === undefined ? {} : { timestamp: options.timestamp }),
  });
  return { payload, signature };
}
