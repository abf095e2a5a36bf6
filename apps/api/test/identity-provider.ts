import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newToken } from '#src/lib/secrets.ts';

/** A person at the provider by their claims; `amr` lists the methods they sign in with. */
export interface ProviderPerson {
  sub: string;
  email: string;
  email_verified?: boolean;
  given_name?: string;
  family_name?: string;
  roles?: string[] | string;
  amr?: string[];
  acr?: string;
}

export interface TestProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The known people by `sub`; may be changed at any time. */
  people: Map<string, ProviderPerson>;
  /** Starts serving a client with this callback address. */
  serve(publicUrl: string): Promise<void>;
  /** A replacement for the server's behaviour, or undefined. */
  instead: ((request: IncomingMessage, response: ServerResponse, goOn: () => void) => void) | undefined;
  stop(): Promise<void>;
}

/**
 * A real OpenID Connect provider on this machine. Its sign-in page only asks for the `sub`. It answers after `serve`,
 * since the addresses of app and provider depend on each other.
 */
export async function startProvider(): Promise<TestProvider> {
  let handle: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | undefined;
  const people = new Map<string, ProviderPerson>();
  const server = createServer((request, response) => {
    const goOn = () => void (handle ? handle(request, response) : response.writeHead(503).end());
    if (provider.instead) provider.instead(request, response, goOn);
    else goOn();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${port}`,
    clientId: 'regie',
    clientSecret: newToken(),
    people,
    instead: undefined,
    async serve(publicUrl) {
      // Imported late, because it prints warnings about production options.
      const { Provider } = await import('oidc-provider');
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const oidc = new Provider(provider.issuer, {
        clients: [
          {
            client_id: provider.clientId,
            client_secret: provider.clientSecret,
            redirect_uris: [`${publicUrl}/api/auth/oidc/callback`],
            id_token_signed_response_alg: 'ES256',
            require_auth_time: true,
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
        cookies: { keys: [newToken()] },
        features: { devInteractions: { enabled: false } },
        acrValues: ['phr'],
        claims: {
          openid: ['sub', 'acr', 'amr', 'auth_time'],
          email: ['email', 'email_verified'],
          profile: ['given_name', 'family_name'],
          roles: ['roles'],
        },
        ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, IdToken: 300, Interaction: 300, Session: 3600 },
        pkce: { required: () => true },
        interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
        findAccount: (_, sub) => {
          const person = people.get(sub);
          return person && { accountId: sub, claims: () => ({ ...person }) };
        },
        // No consent screen: staff's employer has consented.
        loadExistingGrant: async ({ oidc: { session, client, provider: itself, requestParamScopes } }) => {
          if (!session?.accountId || !client) return undefined;
          const grant = new itself.Grant({ accountId: session.accountId, clientId: client.clientId });
          grant.addOIDCScope([...requestParamScopes].join(' '));
          await grant.save();
          return grant;
        },
      });
      const answer = oidc.callback();
      handle = async (request, response) => {
        if (!request.url?.startsWith('/interaction/')) return answer(request, response);
        if (request.method !== 'POST') {
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
          response.end(
            '<!doctype html><html lang="fr"><title>Entreprise</title><form method="post"><label>Identifiant <input name="sub"></label><button>Continuer</button></form>',
          );
          return;
        }
        const person = people.get(new URLSearchParams(await readBody(request)).get('sub') ?? '');
        if (!person) return oidc.interactionFinished(request, response, { error: 'access_denied' });
        const { sub: accountId, amr, acr } = person;
        return oidc.interactionFinished(request, response, {
          login: { accountId, ...(amr ? { amr } : {}), ...(acr ? { acr } : {}) },
        });
      };
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** A browser at the provider: keeps cookies, follows redirects and signs in. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();
  /** Number of sign-ins. */
  signIns = 0;

  /** Opens an address at the provider; returns the redirect to the app. */
  async visit(address: string, sub: string): Promise<string> {
    const { origin } = new URL(address);
    let at = address;
    for (let step = 0; step < 10; step += 1) {
      const response = await this.#fetch(at);
      const next = response.headers.get('location');
      if (next === null) {
        if (response.status !== 200)
          throw new Error(`the provider answers ${response.status}: ${await response.text()}`);
        this.signIns += 1;
        const sent = await this.#fetch(at, new URLSearchParams({ sub }));
        at = new URL(sent.headers.get('location') ?? '', at).href;
      } else {
        at = new URL(next, at).href;
      }
      if (new URL(at).origin !== origin) return at;
    }
    throw new Error('too many redirects at the provider');
  }

  async #fetch(address: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(form ? { method: 'POST', body: form } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
