import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import type { OpenApiDocument } from '#server/http/openapi/document.ts'

const title = 'Portal API'

/** Swagger UI has scripts and styles as files, and images inside its styles. Nothing is inline. */
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

/** Serves `/api/openapi.json`, public, and with `apiDocs` also the page `/api/docs`; otherwise that is 404. */
export function serveOpenApi(
  fastify: FastifyInstance,
  endpoints: readonly Endpoint[],
  { apiDocs }: { apiDocs: boolean },
): void {
  let documentPromise: Promise<OpenApiDocument> | null = null
  // Built at the first request: it takes a tenth of a server start, and most runs never need it.
  const getDocument = () => (documentPromise ??= loadDocument(endpoints))
  let compressedPromise: Promise<Buffer> | null = null
  let text: string | null = null
  // Serialised and compressed only once, because it is large and public.
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
  // Placeholder until somebody opens the page.
  fastify.register(fastifySwagger, {
    mode: 'static',
    specification: { document: { openapi: '3.1.0', info: { title, version: '' }, paths: {} } },
  })
  fastify.register(fastifySwaggerUi, {
    routePrefix: '/api/docs',
    staticCSP: docsPolicy,
    theme: { title },
    // Without the bar for other documents. Collapsed, because two hundred calls are searched by name.
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
