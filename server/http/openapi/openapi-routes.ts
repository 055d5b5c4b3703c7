import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { OpenApiDocument } from '#server/http/openapi/document.ts'

const title = 'Portal API'

/** Content security policy of Swagger UI. It has scripts and styles as files and images inside its styles, but nothing inline. */
const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves `/api/openapi.json`, which is public. With `apiDocs` also serves the page `/api/docs`; otherwise that path is 404. */
export function serveOpenApi(
  fastify: FastifyInstance,
  endpoints: readonly Endpoint[],
  { apiDocs }: { apiDocs: boolean },
): void {
  let documentPromise: Promise<OpenApiDocument> | null = null
  // The document is built at the first request: it takes a tenth of a server start, and most runs never need it.
  const getDocument = () => (documentPromise ??= loadDocument(endpoints))
  let compressedPromise: Promise<Buffer> | null = null
  let text: string | null = null
  // The document is serialised and compressed only once, because it is large and public.
  fastify.get('/api/openapi.json', async ({ headers }, reply) => {
    reply.type('application/json; charset=utf-8')
    text ??= JSON.stringify(await getDocument())
    if (!/\bbr\b/.test(headers['accept-encoding'] ?? '')) return reply.send(text)
    return reply
      .headers({ 'content-encoding': 'br', vary: 'accept-encoding' })
      .send(await (compressedPromise ??= promisify(brotliCompress)(text)))
  })
  if (apiDocs) fastify.register(async (inner) => serveDocs(inner, getDocument))
}

function serveDocs(fastify: FastifyInstance, getDocument: () => Promise<OpenApiDocument>): void {
  let document: OpenApiDocument | null = null
  fastify.addHook('onRequest', async () => {
    document = await getDocument()
  })
  // An empty document, until the page is requested for the first time.
  fastify.register(fastifySwagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title, version: '' }, paths: {} } },
  })
  fastify.register(fastifySwaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: docsPolicy,
    theme: { title },
    // Hides the bar for other documents. Calls are collapsed and can be filtered, because there are two hundred.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'none', filter: true },
    transformSpecification: () => document ?? {},
    transformSpecificationClone: false,
  })
}

async function loadDocument(endpoints: readonly Endpoint[]): Promise<OpenApiDocument> {
  const { buildDocument } = await import('#server/http/openapi/document.ts')
  const manifest = await readFile(new URL('../../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  return buildDocument(endpoints, { title, version })
}
