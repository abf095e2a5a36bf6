import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import manifest from '#package.json' with { type: 'json' };

/** Does nothing until `startTracing`. */
const tracer = trace.getTracer('regie');

/**
 * Sends spans of calls, queries and jobs to the collector of OTEL_EXPORTER_OTLP_ENDPOINT, in batches, with the headers
 * of OTEL_EXPORTER_OTLP_HEADERS. @returns sends the rest and ends
 */
export async function startTracing(endpoint: string, role: string): Promise<() => Promise<void>> {
  // Loaded only where traces are requested.
  const [
    { AsyncLocalStorageContextManager },
    { W3CTraceContextPropagator },
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { BatchSpanProcessor, TracerProvider },
  ] = await Promise.all([
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `regie-${role}`, 'service.version': manifest.version }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return async () => {
    await provider.shutdown();
    for (const part of [trace, context, propagation]) part.disable();
  };
}

/** A span for each call, named by its route; what it runs is below it. */
export function traceCalls(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const from = propagation.extract(context.active(), request.headers);
    const route = request.routeOptions.url ?? 'none';
    const span = tracer.startSpan(
      `${request.method} ${route}`,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method, 'http.route': route } },
      from,
    );
    reply.raw.once('close', () => {
      const { statusCode } = reply.raw;
      span.setAttribute('http.response.status_code', statusCode);
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(from, span), done);
  });
}

/** A query that has just ended; its text holds no values. */
export function traceQuery(ms: number, text: () => string): void {
  const end = Date.now();
  const span = tracer.startSpan('query', { kind: SpanKind.CLIENT, startTime: end - ms });
  if (span.isRecording()) span.setAttributes({ 'db.system.name': 'postgresql', 'db.query.text': text() });
  span.end(end);
}

export function traceJob<T>(task: string, run: () => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(`job ${task}`, { kind: SpanKind.CONSUMER }, async (span) => {
    try {
      return await run();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
