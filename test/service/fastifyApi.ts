/** The API's router: Fastify without its own server, fed by the front door. */
import Fastify from 'fastify';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { exchangeOf } from './exchange.ts';
import { ClientGone, Refusal } from './refusal.ts';
import { mountInsights } from './routesInsights.ts';
import { mountProcessing } from './routesProcessing.ts';
import { mountProcessingExtras } from './routesProcessingExtras.ts';
import { mountProjects } from './routesProjects.ts';
import { mountStaging } from './routesStaging.ts';
import { mountStagingExtras } from './routesStagingExtras.ts';
import type { Service } from './service.ts';

/** Largest JSON body that is read, bytes: 20,000 references with long addresses fit. */
const JSON_BYTES = 64 * 1024 * 1024;

export async function createApi(
  service: Service,
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  let listener: RequestListener = () => undefined;
  const app = Fastify({
    bodyLimit: JSON_BYTES,
    routerOptions: { maxParamLength: 2000 },
    serverFactory: (handler) => {
      listener = handler;
      return createServer();
    },
  });
  // Forms are read by the operation that needs one; Node drops what is not read.
  app.addContentTypeParser('multipart/form-data', (_request, _payload, done) => done(null));
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text.length === 0 ? undefined : JSON.parse(text.toString()));
    } catch {
      done(new Refusal(400, 'The body is no JSON.'));
    }
  });
  app.setNotFoundHandler((_request, reply) => {
    void reply.code(404).send(errorBody(service, 'Not found.'));
  });
  app.setErrorHandler((problem, request, reply) => {
    if (problem instanceof ClientGone) {
      exchangeOf(request.raw).response.destroy();
      return;
    }
    const status = problem instanceof Refusal ? problem.status : statusOf(problem);
    const words = problem instanceof Error ? problem.message : 'unknown';
    if (status >= 500) process.stderr.write(`${String(problem)}\n`);
    void reply.code(status).send(errorBody(service, words));
  });
  mountStaging(app, service);
  mountStagingExtras(app, service);
  mountProcessing(app, service);
  mountProcessingExtras(app, service);
  mountProjects(app, service);
  mountInsights(app, service);
  await app.ready();
  return (request, response) => {
    listener(request, response);
  };
}

function errorBody({ state }: Service, message: string): object {
  return { error: state.settings.errors === 'text' ? message : { message } };
}

/** The status of an error; Fastify's own refusals carry one. */
function statusOf(problem: unknown): number {
  const stated: unknown =
    typeof problem === 'object' && problem !== null ? Reflect.get(problem, 'statusCode') : null;
  return typeof stated === 'number' && stated >= 400 && stated < 500 ? stated : 500;
}
