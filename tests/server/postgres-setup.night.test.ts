import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { clientCredential } from '#contract/accounts.ts'
import { createEngineDatabase } from '#server/db/embedded/open.ts'
import { migrate } from '#server/db/migrate.ts'
import { listMigrationNames } from '#server/db/migrations/index.ts'
import { startBareEngine } from '#tests/support/server/database.ts'
import { type Cluster, postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { limitByDay, nightlyBlock } from '#tests/support/runner/nightly.ts'

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

/** Returns the code blocks of the chapter "PostgreSQL" of docs/operating.md, as an operator copies them. */
async function readDocumentedSetup(): Promise<{ statements: string; environment: string }> {
  const text = await readFile(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const [, chapter = ''] = /^## PostgreSQL\n(.*?)^## /ms.exec(text) ?? []
  const [, statements = ''] = /^```sql\n(.*?)^```/ms.exec(chapter) ?? []
  const [, environment = ''] = /^```\n(DATABASE_URL=.*?)^```/ms.exec(chapter) ?? []
  return { statements, environment }
}

const bin = postgresBin()

nightlyBlock('PostgreSQL set up as the operating guide says', () => {
  let cluster: Cluster
  let folder: string
  // A separate cluster, because roles belong to a cluster, and none of them may exist yet.
  beforeAll(async () => {
    cluster = await startCluster(bin ?? '')
    folder = await mkdtemp(join(tmpdir(), 'portal-operating-'))
  })
  afterAll(async () => {
    await cluster.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it.skipIf(bin === null)(
    'serves the portal with logins that are not superusers and may not create roles',
    async () => {
      const { statements, environment } = await readDocumentedSetup()
      const script = statements.replaceAll("password '...'", "password 'of-a-test'")
      const psql = promisify(execFile)(join(bin ?? '', 'psql'), [
        '-X',
        '-v',
        'ON_ERROR_STOP=1',
        `${cluster.url}/postgres`,
      ])
      psql.child.stdin?.end(script)
      await psql
      const env = Object.fromEntries(
        environment
          .replaceAll(':...@db:5432', `:of-a-test@${new URL(cluster.url).host}`)
          .replace('TOKEN_KEY=...', `TOKEN_KEY=${'11'.repeat(32)}`)
          .trim()
          .split('\n')
          .map(
            (line) =>
              line
                .replace(/\s+#.*/, '')
                .split(/=(.*)/s)
                .slice(0, 2) as [string, string],
          ),
      )
      expect(Object.keys(env)).toEqual(['DATABASE_URL', 'MIGRATE_DATABASE_URL', 'TOKEN_KEY'])
      for (let startCount = 0; startCount < 2; startCount++) {
        const server = startProcess({ ...env, DATA_DIR: folder, DEMO: '1' })
        try {
          const url = await server.ready
          const token = await fetch(`${url}/api/m18s/token`, {
            method: 'POST',
            headers: { authorization: `Basic ${btoa(clientCredential)}` },
            body: new URLSearchParams({
              grant_type: 'password',
              username: 'acme:user@acme.example',
              password: 'Portal-demo-1',
            }),
          })
          expect([token.status, server.output()]).toEqual([200, expect.not.stringContaining('superuser')])
        } finally {
          await server.kill('SIGTERM')
        }
      }
    },
  )
})

/** The embedded database is newer than version 16. There, a member of a role no longer has the right to act as that role automatically. */
describe('the migrations run as a schema owner without superuser rights', () => {
  const ownerCases: readonly [string, string, string[]][] = [
    // Since version 16 the creator of a role may grant it to others, but may not act as it.
    ['may create roles, if the roles of the portal do not exist yet', 'createrole', []],
    ['may not create roles, but is a member of the existing roles', 'nocreaterole', ['portal_app', 'portal_system']],
  ]
  it.each(limitByDay(ownerCases, 1))('who %s', async (_title, right, grantedRoles) => {
    const engine = await startBareEngine()
    const { kysely, close } = createEngineDatabase(
      engine,
      () => true,
      async () => undefined,
    )
    const run = (text: string) => sql.raw(text).execute(kysely)
    const { rows } = await sql<{ version: string }>`select current_setting('server_version_num') as version`.execute(
      kysely,
    )
    expect(Number(rows[0]?.version)).toBeGreaterThanOrEqual(160_000)
    await run(`create role owner login ${right}`)
    for (const role of grantedRoles) {
      await run(`create role ${role} nologin noinherit`)
      await run(`grant ${role} to owner`)
    }
    await run('alter schema public owner to owner')
    await run('set session authorization owner')
    expect(await migrate(kysely)).toEqual(listMigrationNames())
    await close()
  })
})
