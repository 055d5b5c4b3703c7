/**
 * The baseline server: the minimum that returns the same responses from the same data. Fastify, hand-written prepared SQL, JSON created in
 * the database, an HS256 check on every call; no tenant, permission, idempotency key, audit trail or version. Runs as a separate program.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import createFastify from 'fastify'
import pg from 'pg'

type RunQuery = (name: string, sql: string, values: unknown[]) => Promise<string | null>

const { PORT = '0', SECRET = '', DATABASE_URL, FOLDER } = process.env

/** Returns one value of one row, by a statement that is prepared once. */
async function openDatabase(): Promise<RunQuery> {
  if (DATABASE_URL) {
    const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 8 })
    return async (name, text, values) => (await pool.query<{ it: string }>({ name, text, values })).rows[0]?.it ?? null
  }
  const database = await PGlite.create({ dataDir: String(FOLDER) })
  return async (_, text, values) => (await database.query<{ it: string }>(text, values)).rows[0]?.it ?? null
}

const rowSql = `json_build_object('id', id, 'name', name, 'email', email, 'title', title, 'admin', admin, 'order', orders,
  'alert', alert, 'status', status, 'avatar', avatar, 'language', language, 'access_level', access_level,
  'company_id', company_id, 'row_version', row_version)`

const updateSql = `update portal_user set alert = $2, row_version = row_version + 1, update_time = $3 where id = $1
  returning ${rowSql}::text as it`
const listSql = `select json_build_object('count', (select count(*) from portal_user where company_id = $1 and status <> -2),
  'data', (select json_agg(${rowSql}) from (select * from portal_user where company_id = $1 and status <> -2
    order by name_key, id limit 10) page))::text as it`

function isSigned(authorization: string | undefined): boolean {
  const [head = '', body = '', signature = ''] = (authorization ?? '').slice('Bearer '.length).split('.')
  const expected = createHmac('sha256', SECRET).update(`${head}.${body}`).digest()
  const actual = Buffer.from(signature, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const runQuery = await openDatabase()
const fastify = createFastify()
fastify.addHook('onRequest', async (request, reply) => {
  if (!isSigned(request.headers.authorization)) return reply.code(401).send()
})
fastify.put<{ Params: { id: string }; Body: { alert: boolean } }>('/user/:id', async (request, reply) => {
  const changedRow = await runQuery('update', updateSql, [Number(request.params.id), request.body.alert, Date.now()])
  return changedRow === null ? reply.code(404).send() : reply.type('application/json').send(changedRow)
})
fastify.get<{ Params: { id: string } }>('/users/:id', async (request, reply) =>
  reply.type('application/json').send(await runQuery('list', listSql, [Number(request.params.id)])),
)
await fastify.listen({ port: Number(PORT), host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
