/** Tests the portal behind PgBouncer, which gives each transaction another connection. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { openPostgres } from '#server/db/postgres.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { testConfig, testContext } from '#tests/support/server/database.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { migratedDatabase, runAsSuperuser } from '#tests/support/server/postgres.ts'

const postgresUrl = inject('postgresUrl') ?? ''
const program = '/usr/sbin/pgbouncer'

describe.skipIf(!postgresUrl || !existsSync(program))('behind PgBouncer with a pool of transactions', () => {
  let folder: string
  let pooler: ChildProcess
  let port: number
  beforeAll(async () => {
    await runAsSuperuser(postgresUrl, 'postgres', [`create database pooled template ${migratedDatabase}`])
    folder = mkdtempSync(join(tmpdir(), 'portal-pooler-'))
    port = await findFreePort()
    const settings = join(folder, 'pgbouncer.ini')
    const databasePort = new URL(postgresUrl).port
    writeFileSync(
      settings,
      `[databases]
pooled = host=127.0.0.1 port=${databasePort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
`,
    )
    // PgBouncer refuses to run as root.
    const isRoot = process.getuid?.() === 0
    const readId = (flag: string) => Number(execFileSync('id', [flag, 'postgres']))
    const user = isRoot ? { uid: readId('-u'), gid: readId('-g') } : {}
    if (isRoot) for (const path of [folder, settings]) chownSync(path, readId('-u'), readId('-g'))
    pooler = spawn(program, [settings], { ...user, cwd: folder, stdio: 'ignore' })
    await vi.waitFor(async () => {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.destroy()
    }, 15_000)
  })
  afterAll(async () => {
    pooler.kill('SIGKILL')
    await once(pooler, 'exit')
    rmSync(folder, { recursive: true, force: true })
    await runAsSuperuser(postgresUrl, 'postgres', ['drop database pooled with (force)'])
  })

  it('transactions work, and a start without LISTEN_DATABASE_URL warns', async () => {
    const url = `postgres://postgres@127.0.0.1:${port}/pooled`
    for (const [env, isWarned] of [
      [{}, true],
      [{ LISTEN_DATABASE_URL: `${postgresUrl}/pooled` }, false],
    ] as const) {
      const events: string[] = []
      const log = pino({}, { write: (line) => void events.push((JSON.parse(line) as { event: string }).event) })
      const database = await openPostgres(testConfig(env), url, log)
      const app = testContext(database)
      await Promise.all(
        Array.from({ length: 60 }, () =>
          writeAsSystem(app, (db) => sql`update catalogue set change = change`.execute(db)),
        ),
      )
      expect(events.includes('transaction_pooler_detected')).toBe(isWarned)
      if (!isWarned) {
        const received: string[] = []
        database.listen('changes', (message) => received.push(message))
        await expect
          .poll(async () => {
            await database.announce('changes', 'message')
            return received
          })
          .toContain('message')
      }
      await database.close()
    }
  })
})
