import type { APIRequestContext } from '@playwright/test';
import { type Capability, getCapability } from '@regie/contract/capabilities.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { routes } from '@regie/contract/routes.ts';
import type { SignatureSubject } from '@regie/contract/signatures.ts';
import type { z } from '@regie/contract/zod.ts';
import { monthToMs } from '@regie/values/month.ts';
import type { Login } from './test.ts';

type CallInput = {
  params?: Record<string, string | number>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
};

type Answer<Data> = { data: Data; meta: { nextCursor: string | null; total: number } };

/**
 * The HTTP API with a session: to compare screens with, and to prepare test data. With `page.request` it is the page's
 * own session.
 */
export class Api {
  readonly #request: APIRequestContext;
  #csrf = '';

  constructor(request: APIRequestContext) {
    this.#request = request;
  }

  /** Also used to sign a page in when the test is not about signing in. */
  async signIn({ email, password }: Login): Promise<void> {
    await this.readCsrf();
    await this.call(routes.signIn, { body: { email, password } });
    await this.readCsrf();
  }

  /** A session started elsewhere, e.g. in the page, has its own token. */
  async readCsrf(): Promise<void> {
    const envelope: { csrf?: string } = await (await this.#request.get('/api/auth/check')).json();
    this.#csrf = envelope.csrf ?? '';
  }

  /** @throws an error with the response, unless the call succeeds */
  async call<Route extends RouteContract>(
    route: Route,
    input: CallInput = {},
  ): Promise<Answer<z.output<Route['response']>>> {
    const response = await this.attempt(route, input);
    const text = await response.text();
    if (!response.ok()) throw new Error(`${route.method} ${route.path} was answered ${response.status()}: ${text}`);
    return JSON.parse(text);
  }

  /** Marks a statement as checked. */
  async checkStatement(id: number, body: object = {}): Promise<void> {
    const { version } = (await this.call(routes.getStoreStatement, { params: { id } })).data;
    await this.call(routes.checkStatement, { params: { id }, body: { version, ...body } });
  }

  /** Posts a month (YYYY-MM) with the version of its dry run, as the page does. */
  async postMonth(month: string, body: object = {}) {
    const asked = { fromDate: monthToMs(month), ...body };
    const { version } = (await this.call(routes.automaticReport, { body: { ...asked, dryRun: true } })).data;
    return (await this.call(routes.automaticReport, { body: { ...asked, version } })).data;
  }

  /** Signs a record as it is shown. */
  async sign(subject: SignatureSubject, id: string | number) {
    const params = { subject, id };
    const { data } = await this.call(routes.getSignable, { params });
    return (await this.call(routes.sign, { params, body: { version: data?.signing.version ?? '' } })).data;
  }

  /** The raw response, including errors. */
  attempt(route: RouteContract, { params = {}, query = {}, body }: CallInput = {}) {
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(params[name]));
    const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
    return this.#request.fetch(`/api${path}?${new URLSearchParams(given)}`, {
      method: route.method,
      headers: { 'x-csrf-token': this.#csrf },
      ...(body !== undefined && { data: body }),
    });
  }

  /** Sends the file of a multipart call. @throws an error with the response, unless it succeeds */
  async upload<Route extends RouteContract>(
    route: Route,
    input: { params: Record<string, string | number>; headers: Record<string, string>; bytes: Buffer },
  ): Promise<Answer<z.output<Route['response']>>> {
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(input.params[name]));
    const response = await this.#request.fetch(`/api${path}`, {
      method: route.method,
      headers: { 'x-csrf-token': this.#csrf, ...input.headers },
      multipart: {
        [route.upload?.field ?? 'file']: { name: 'chunk', mimeType: 'application/octet-stream', buffer: input.bytes },
      },
    });
    const text = await response.text();
    if (!response.ok()) throw new Error(`${route.method} ${route.path} was answered ${response.status()}: ${text}`);
    return JSON.parse(text);
  }

  /** All pages of a list. */
  async all<Route extends RouteContract, Row>(
    route: Route,
    rows: (data: z.output<Route['response']>) => readonly Row[],
    input: CallInput = {},
  ): Promise<Row[]> {
    const found: Row[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.call(route, { ...input, query: { limit: 500, ...input.query, cursor } });
      found.push(...rows(page.data));
      cursor = page.meta.nextCursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  /** An admin with these capabilities and unique names. */
  async addAdmin(fname: string, capabilities: readonly Capability[]): Promise<Login & { id: number; name: string }> {
    const mark = crypto.randomUUID().slice(0, 8);
    const login = { email: `${mark}@equipe.example`, password: `Fader-${mark}` };
    const lname = `Essai-${mark}`;
    const { data } = await this.call(routes.createAdmin, {
      body: { fname, lname, ...login, capabilities: capabilities.map((name) => getCapability(name).id) },
    });
    return { ...login, id: data.id, name: `${fname} ${lname}` };
  }
}
