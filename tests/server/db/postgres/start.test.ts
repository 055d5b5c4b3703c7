/** Tests what a start on PostgreSQL checks, and that each problem is one sentence without the password. */
import { createServer } from 'node:net'
import { once } from 'node:events'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { StartProblem } from '#server/config/config.ts'
import { openPostgres } from '#server/db/postgres.ts'
import { checkServer } from '#server/db/postgres/start-checks.ts'
import { testConfig } from '#tests/support/server/database.ts'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'

const postgresUrl = inject('postgresUrl') ?? ''
const { host: address } = postgresUrl ? new URL(postgresUrl) : { host: '' }

/** Opens and closes a database. Returns the logged events, or the message of the StartProblem. */
async function open(
  url: string,
  env: Record<string, string> = {},
): Promise<{ events: string[]; problem: string | null }> {
  const events: string[] = []
  const log = pino(
    { level: 'info' },
    { write: (line) => void events.push((JSON.parse(line) as { event: string }).event) },
  )
  try {
    await (await openPostgres(testConfig(env), url, log)).close()
    return { events, problem: null }
  } catch (error) {
    expect(error).toBeInstanceOf(StartProblem)
    return { events, problem: (error as Error).message }
  }
}

describe.skipIf(!postgresUrl)('a start on PostgreSQL', () => {
  beforeAll(() =>
    runAsSuperuser(postgresUrl, 'postgres', [
      `create database start_checks template ${migratedDatabase}`,
      'create database start_empty',
      'create role start_login login noinherit',
      'create role start_stranger login',
      'grant portal_app, portal_system to start_login',
    ]),
  )
  afterAll(() =>
    runAsSuperuser(postgresUrl, 'postgres', [
      'drop database start_checks with (force)',
      'drop database start_empty with (force)',
      'drop role start_login',
      'drop role start_stranger',
    ]),
  )

  it.each([
    [
      'a closed port',
      () => 'postgres://start_login:hush@127.0.0.1:9/portal',
      /at 127\.0\.0\.1:9\/portal: .*ECONNREFUSED/,
    ],
    [
      'a missing socket',
      () => 'postgres://start_login:hush@/portal?host=/tmp/no-such',
      /at \/tmp\/no-such:5432\/portal: .*ENOENT/,
    ],
    [
      'an unknown host',
      () => 'postgres://start_login:hush@portal.invalid/portal',
      /: its host name cannot be resolved \(/,
    ],
    ['a missing database', () => `postgres://start_login:hush@${address}/none`, /: database "none" does not exist\.$/],
    ['an unknown login', () => `postgres://nobody:hush@${address}/start_checks`, /: role "nobody" does not exist\.$/],
    [
      'a login without the roles',
      () => `postgres://start_stranger:hush@${address}/start_checks`,
      /^The login start_stranger of DATABASE_URL must be a member/,
    ],
    [
      'a server without TLS',
      () => `postgres://start_login:hush@${address}/start_checks?sslmode=require`,
      /: it does not offer TLS/,
    ],
    [
      'an empty database and a login that may not migrate',
      () => `postgres://start_login:hush@${address}/start_empty`,
      /lacks the migration \S+ of this version: run "node main\.ts migrate"/,
    ],
  ])('reports %s in one sentence without the password', async (_, buildUrl, message) => {
    const { problem } = await open(buildUrl())
    expect(problem).toMatch(message)
    expect(problem).toMatch(/^[A-Z][^\n]*\.$/)
    expect(problem).not.toContain('hush')
  })

  it('reports a port of another program, and a server that closes the connection', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { problem } = await open(`postgres://start_login:hush@127.0.0.1:${port}/portal`)
    expect(problem).toMatch(/^Could not use the database at 127\.0\.0\.1:\d+\/portal: [^\n]*\.$/)
    server.close()
  })

  it('reports a PostgreSQL that is too old', async () => {
    const rows = [{ version: 14, text: '14.9' }]
    await expect(checkServer({ query: async () => ({ rows }) } as never)).rejects.toThrow(
      'it is PostgreSQL 14.9, but version 15 or newer is needed',
    )
  })

  it('needs no login that may change the schema while the schema is current, and logs nothing', async () => {
    expect(await open(`postgres://start_login@${address}/start_checks`)).toEqual({ events: [], problem: null })
    // A missing login for migrations is no problem either, because it is not used.
    const env = { MIGRATE_DATABASE_URL: `postgres://nobody@${address}/start_checks`, MIGRATE_AT_START: '0' }
    expect(await open(`postgres://start_login@${address}/start_checks`, env)).toEqual({ events: [], problem: null })
  })

  it('warns if notifications do not arrive at LISTEN_DATABASE_URL', async () => {
    const url = `postgres://start_login@${address}/start_checks`
    expect(await open(url, { LISTEN_DATABASE_URL: url })).toEqual({ events: [], problem: null })
    const otherDatabase = `postgres://start_login@${address}/start_empty`
    expect(await open(url, { LISTEN_DATABASE_URL: otherDatabase })).toEqual({
      events: ['transaction_pooler_detected'],
      problem: null,
    })
    expect((await open(url, { LISTEN_DATABASE_URL: 'postgres://127.0.0.1:9/portal' })).problem).toMatch(
      /^Could not use the database at 127\.0\.0\.1:9\/portal/,
    )
  })
})
