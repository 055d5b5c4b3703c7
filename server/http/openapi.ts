/** The table of calls for people and tools outside: a document, and the same as a page to read. Open to anybody. */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'
import { document } from '#server/http/openapi-document.ts'
import { page } from '#server/http/openapi-page.ts'

// The page brings no script, and its style from here.
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

export async function openApi(app: FastifyInstance, endpoints: readonly Endpoint[]) {
  const { version } = JSON.parse(await read('../../package.json')) as { version: string }
  const style = await read('openapi.css')
  const built = document(endpoints, version)
  const asJson = JSON.stringify(built)
  const asPage = page(built)
  app.get('/api/openapi.json', async (_, reply) => reply.type('application/json; charset=utf-8').send(asJson))
  app.get('/api/docs.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(style))
  app.get('/api/docs', async (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(asPage),
  )
}
