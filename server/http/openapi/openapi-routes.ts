/** The table of calls for people and tools outside: always as a document, where it is wanted as a page to try it on. */
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { OpenApiDocument } from '#server/http/openapi/document.ts'

const title = 'Portal API'

/** Swagger UI brings scripts and styles as files of its own, and pictures inside its styles; nothing is inline. */
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

/** `/api/openapi.json`, open to anybody; with `apiDocs` also the page `/api/docs`, which answers 404 otherwise. */
export function serveOpenApi(
  fastify: FastifyInstance,
  endpoints: readonly Endpoint[],
  { apiDocs }: { apiDocs: boolean },
): void {
  let documentPromise: Promise<OpenApiDocument> | null = null
  // When somebody first asks: it is a tenth of the work of a start, and most starts end without a reader.
  const getDocument = () => (documentPromise ??= loadDocument(endpoints))
  let compressedPromise: Promise<Buffer> | null = null
  let text: string | null = null
  // Written and compressed once: it is large, and open to anybody.
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
  // Stands for the document until somebody opens the page.
  fastify.register(fastifySwagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title, version: '' }, paths: {} } },
  })
  fastify.register(fastifySwaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: docsPolicy,
    theme: { title },
    // Without the bar for other documents. Closed: two hundred calls are found by their names.
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
