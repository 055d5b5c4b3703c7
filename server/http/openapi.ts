/** The table of calls for people and tools outside: a document, and the same as a page to read. Open to anybody. */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Endpoint } from '#contract/endpoint.ts'

// The page brings no script, and its style from here.
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const read = (name: string) => readFile(new URL(name, import.meta.url), 'utf8')

export function openApi(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  let built: ReturnType<typeof build> | null = null
  // When somebody first asks: it is a tenth of the work of a start, and most starts end without a reader.
  const asked = () => (built ??= build(endpoints))
  app.get('/api/openapi.json', async (_, reply) =>
    reply.type('application/json; charset=utf-8').send((await asked()).asJson),
  )
  app.get('/api/docs.css', async (_, reply) => reply.type('text/css; charset=utf-8').send(await read('openapi.css')))
  app.get('/api/docs', async (_, reply) =>
    reply
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send((await asked()).asPage),
  )
}

async function build(endpoints: readonly Endpoint[]) {
  const [{ document }, { page }] = await Promise.all([
    import('#server/http/openapi-document.ts'),
    import('#server/http/openapi-page.ts'),
  ])
  const { version } = JSON.parse(await read('../../package.json')) as { version: string }
  const built = document(endpoints, version)
  return { asJson: JSON.stringify(built), asPage: page(built) }
}
