import { type ErrorCode, errorStatus } from '@regie/contract/envelope.ts';
import type { RouteContract, UploadField } from '@regie/contract/route.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { stepUpMinutes } from '@regie/contract/second-factors.ts';
import { z } from '@regie/contract/zod.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from './deps.ts';
import { AppError } from './errors.ts';
import { newToken } from './secrets.ts';
import { findSession } from './session.ts';

type Row = RouteContract & { name: string };
type JsonSchema = Record<string, unknown>;

/** A schema as it looks on the wire: what may be sent (`input`) or what is answered (`output`). */
function toSchema(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

/** When each refusal is answered: the table of product §31, with what was added to it. */
const refusals: Record<ErrorCode, string> = {
  invalid_data: 'corps ou requête illisibles',
  unauthorized: 'aucune session, ou elle a pris fin\u00A0; e-mail, mot de passe ou code refusé',
  forbidden: `droit manquant. errors.stepUp ou errors.provider\u00A0: l’appel demande un second facteur utilisé depuis moins de ${stepUpMinutes} minutes, ici ou auprès du service de connexion\u00A0; à répéter ensuite. errors.secondFactor\u00A0: les réglages exigent d’abord d’ajouter un second facteur`,
  csrf_invalid: 'X-Csrf-Token absent, étranger ou périmé, ou origine étrangère',
  not_found: 'aucun enregistrement à cette adresse',
  conflict:
    'l’état ne le permet pas, l’enregistrement a changé entre-temps, ou la clé a servi avec un autre corps\u00A0; pour un envoi par morceaux, data.received dit où reprendre',
  too_large: 'corps ou fichier trop grand',
  unsupported_type: 'type de corps refusé',
  validation_failed: 'errors donne une phrase par champ, ou sous global',
  too_many_requests: 'trop d’appels\u00A0; Retry-After dit quand recommencer',
  server_error: 'défaut du serveur',
  unavailable:
    'base de données, stockage ou service de paiement injoignable\u00A0; une modification a pu être enregistrée',
};

const refusalRows = Object.entries(errorStatus).map(
  ([code, status]) => [status, code, refusals[code as ErrorCode]] as const,
);

function describeAccess({ capability, stepUp }: Row): string {
  if (capability === 'public') return 'Ouvert à tous.';
  const factor = stepUp ? ' Demande à qui a un second facteur de l’avoir utilisé récemment.' : '';
  if (capability === 'session') return `Toute personne connectée.${factor}`;
  return `Droit requis\u00A0: ${capability.join(' ou ')}.${factor}`;
}

function parameters(schema: z.core.$ZodType, where: 'path' | 'query'): JsonSchema[] {
  const { properties = {}, required = [] } = toSchema(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    // Both travel as text; what a coerced number accepts is not in its input schema.
    schema: Object.keys(property).length > 0 ? property : { type: 'string' },
  }));
}

function describeUpload({ field, maxBytes }: UploadField): JsonSchema {
  const file = { type: 'string', format: 'binary', description: `${maxBytes} bytes at most` };
  const schema = { type: 'object', properties: { [field]: file }, required: [field] };
  return { required: true, content: { 'multipart/form-data': { schema } } };
}

const anyFile = { '*/*': { schema: { type: 'string', format: 'binary' } } };
const asJson = (schema: JsonSchema) => ({ 'application/json': { schema } });
const envelopeFields = ['code', 'message', 'data', 'errors'];

function toOperation(row: Row): JsonSchema {
  // A webhook is signed by who calls it: neither csrf token nor key.
  const isMutating = row.method !== 'GET' && !row.path.startsWith('/webhooks/');
  const body = toSchema(row.body, 'input');
  const properties: JsonSchema = {
    code: { const: 'success' },
    message: { type: 'string' },
    data: toSchema(row.response, 'output'),
    errors: { type: 'object' },
    ...(row.list ? { meta: { $ref: '#/components/schemas/ListMeta' } } : {}),
    ...(row.path === '/auth/check' ? { csrf: { type: 'string' } } : {}),
  };
  const envelope = { type: 'object', properties, required: envelopeFields };
  return {
    operationId: row.name,
    summary: row.summary,
    description: describeAccess(row),
    tags: [row.path.split('/')[1] ?? ''],
    parameters: [
      ...parameters(row.params, 'path'),
      ...parameters(row.query, 'query'),
      ...(isMutating ? [{ $ref: '#/components/parameters/Csrf' }] : []),
      ...(isMutating && !row.path.startsWith('/auth/') ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(row.upload ? { requestBody: describeUpload(row.upload) } : {}),
    ...(Object.keys(body).length > 0 ? { requestBody: { required: true, content: asJson(body) } } : {}),
    responses: {
      ...(row.isRedirect
        ? { 303: { description: 'The address to go on to', headers: { Location: { schema: { type: 'string' } } } } }
        : { 200: { description: row.message || 'success', content: row.isFile ? anyFile : asJson(envelope) } }),
      default: { $ref: '#/components/responses/Refusal' },
    },
    security: row.capability === 'public' ? [] : [{ session: [] }],
  };
}

function buildOpenApi(publicUrl: string): JsonSchema & { paths: Record<string, Record<string, JsonSchema>> } {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const row of routeTable) {
    const path = `/api${row.path.replace(/:(\w+)/g, '{$1}')}`;
    paths[path] = { ...paths[path], [row.method.toLowerCase()]: toOperation(row) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Régie', version: '1', description: 'Every call of the back-office, from its contract.' },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: publicUrl.startsWith('https:') ? '__Host-regie' : 'regie' },
      },
      parameters: {
        Csrf: {
          name: 'X-Csrf-Token',
          in: 'header',
          required: true,
          description: 'The `csrf` of GET /api/auth/check.',
          schema: { type: 'string' },
        },
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          description: 'The same key and body again give the stored answer, for seven days.',
          schema: { type: 'string', minLength: 1, maxLength: 200 },
        },
      },
      schemas: {
        ListMeta: {
          type: 'object',
          properties: {
            nextCursor: { type: ['string', 'null'] },
            total: { type: 'integer', maximum: 10_000 },
            totalIsExact: { type: 'boolean' },
          },
          required: ['nextCursor', 'total', 'totalIsExact'],
        },
        Refusal: {
          type: 'object',
          properties: {
            code: { enum: Object.keys(errorStatus) },
            message: { type: 'string' },
            data: { type: ['object', 'null'] },
            errors: { type: 'object', additionalProperties: { type: 'string' } },
            csrf: { type: 'string', description: 'On the session check only.' },
          },
          required: envelopeFields,
        },
      },
      responses: {
        Refusal: {
          description: refusalRows.map(([status, code, when]) => `- ${status} \`${code}\`: ${when}`).join('\n'),
          content: asJson({ $ref: '#/components/schemas/Refusal' }),
        },
      },
    },
  };
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

const style = `
:root { color-scheme: light dark; --line: light-dark(#dcdfe4, #3a3f47); --soft: light-dark(#f5f6f8, #22262c);
  --text: light-dark(#1b1f24, #e6e8eb); --dim: light-dark(#565d67, #a7aeb8); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 960px; padding: 24px 16px 64px; font: 14px/1.5 Inter, system-ui, sans-serif;
  color: var(--text); background: light-dark(#fff, #16191d); }
h1 { font-size: 20px; } h2 { font-size: 15px; margin: 32px 0 8px; }
details { border: 1px solid var(--line); border-radius: 6px; margin: 6px 0; }
summary { padding: 8px 12px; cursor: pointer; display: flex; gap: 12px; flex-wrap: wrap; align-items: baseline; }
summary:focus-visible, a:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
summary span { color: var(--dim); }
code, pre { font: 12px/1.5 ui-monospace, monospace; } summary code { font-size: 13px; overflow-wrap: anywhere; }
b { display: inline-block; min-width: 56px; font: 600 12px ui-monospace, monospace; }
details > div { padding: 0 12px 12px; border-top: 1px solid var(--line); }
pre { background: var(--soft); border-radius: 6px; padding: 12px; overflow: auto; max-height: 420px; }
h3 { font-size: 13px; margin: 12px 0 4px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; }
th, td { padding: 6px 12px 6px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }`;

function renderSchema(title: string, schema: JsonSchema): string {
  if (Object.keys(schema).length === 0) return '';
  const json = escapeHtml(JSON.stringify(schema, null, 2));
  return `<h3>${title}</h3><pre tabindex="0" role="region" aria-label="${title}">${json}</pre>`;
}

function renderRow(row: Row): string {
  const query = toSchema(row.query, 'input');
  const hasQuery = Object.keys((query.properties as object | undefined) ?? {}).length > 0;
  return `<details id="${row.name}"><summary><b>${row.method}</b><code>/api${escapeHtml(row.path)}</code>
<span lang="en">${escapeHtml(row.summary ?? row.name)}</span></summary><div><p>${escapeHtml(describeAccess(row))}</p>
${hasQuery ? renderSchema('Paramètres', query) : ''}${renderSchema('Corps', toSchema(row.body, 'input'))}
${renderSchema(row.list ? 'Réponse (data, avec meta)' : 'Réponse (data)', toSchema(row.response, 'output'))}
</div></details>`;
}

function renderPage(nonce: string): string {
  const groups = Map.groupBy(routeTable, (row) => row.path.split('/')[1] ?? '');
  const sections = [...groups].map(
    ([name, rows]) => `<section><h2>${escapeHtml(name)}</h2>${rows.map(renderRow).join('\n')}</section>`,
  );
  return `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>API de Régie</title><style nonce="${nonce}">${style}</style></head>
<body><main><h1>API de Régie</h1>
<p>Chaque réponse est une enveloppe <code>{ code, message, data, errors }</code>. Les appels qui modifient portent
l'en-tête <code>X-Csrf-Token</code> donné par <code>/api/auth/check</code>.
Le même contenu au format OpenAPI 3.1\u00A0: <a href="/api/docs/json">/api/docs/json</a>.</p>
<h2 id="refusals">Refus</h2><div class="wide" tabindex="0" role="region" aria-labelledby="refusals"><table>
<thead><tr><th scope="col">HTTP</th><th scope="col">code</th><th scope="col">quand</th></tr></thead><tbody>
${refusalRows.map(([status, code, when]) => `<tr><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(when)}</td></tr>`).join('\n')}
</tbody></table></div>
${sections.join('\n')}
</main></body></html>`;
}

/**
 * Serves the contract to signed-in staff: a page at /api/docs, OpenAPI at /api/docs/json. The page is rendered here,
 * without script, because the usual viewers need a policy with `unsafe-inline`.
 */
export function registerApiDocs(app: FastifyInstance, deps: Deps): void {
  const onRequest = async (request: FastifyRequest) => {
    request.session = await findSession(deps.db, deps.cookies, request);
    if (!request.session) throw new AppError('unauthorized');
  };
  app.get('/api/docs', { onRequest }, (_request, reply) => {
    const nonce = newToken();
    return reply
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
      .type('text/html; charset=utf-8')
      .send(renderPage(nonce));
  });
  app.get('/api/docs/json', { onRequest }, () => buildOpenApi(deps.publicUrl));
}
