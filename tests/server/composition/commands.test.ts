/** Tests the commands of main.ts, and a server of the previous version on a database that a newer one has migrated. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { runAsSuperuser, migratedDatabase } from '#tests/support/server/postgres.ts'
import { compileCacheEnv, quickStart, startProcess } from '#tests/support/server/process.ts'

vi.setConfig({ testTimeout: 60_000 })

const root = join(import.meta.dirname, '../../..')
const postgresUrl = inject('postgresUrl') ?? ''

/** Runs a command to its end. Returns its exit code and its output without the blank lines at the ends. */
async function runCommand(args: string[], env: Record<string, string> = {}) {
  const settings = { PATH: process.env.PATH, LOG_LEVEL: 'warn', ...compileCacheEnv, ...env }
  const command = promisify(execFile)(process.execPath, [...quickStart, 'main.ts', ...args], {
    cwd: root,
    env: settings,
  })
  const { stdout, stderr } = await command.catch((error: unknown) => error as { stdout: string; stderr: string })
  return { code: command.child.exitCode, output: `${stdout}${stderr}`.trim() }
}

describe('main.ts', () => {
  it('refuses an unknown command in one sentence', async () => {
    expect(await runCommand(['migrations\n'])).toEqual({
      code: 1,
      output: 'The command "migrations\\n" does not exist: use serve, worker or migrate.',
    })
  })
})

describe.skipIf(!postgresUrl)('a server with a login that may not migrate', () => {
  const { host } = postgresUrl ? new URL(postgresUrl) : { host: '' }
  let dataDir: string
  const env = () => ({
    DATA_DIR: dataDir,
    DATABASE_URL: `postgres://commands_login@${host}/commands`,
    TOKEN_KEY: '11'.repeat(32),
  })
  const ownerEnv = { MIGRATE_DATABASE_URL: `postgres://postgres@${host}/commands` }
  const applyMigration = (name: string, kind: string) =>
    runAsSuperuser(postgresUrl, 'commands', [
      `insert into kysely_migration values ('${name}', '')`,
      `insert into migration_kind values ('${name}', '${kind}')`,
    ])

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'portal-commands-'))
    await runAsSuperuser(postgresUrl, 'postgres', [
      `create database commands template ${migratedDatabase}`,
      'create role commands_login login noinherit',
      'grant portal_app, portal_system to commands_login',
    ])
  })
  afterAll(async () => {
    await rm(dataDir, { recursive: true, force: true })
    await runAsSuperuser(postgresUrl, 'postgres', ['drop database commands with (force)', 'drop role commands_login'])
  })

  it('serves after `migrate`, on a database with newer compatible migrations, but not with breaking ones', async () => {
    expect(await runCommand(['migrate'], ownerEnv)).toEqual({ code: 0, output: 'The database is up to date.' })
    await applyMigration('998-compatible', 'compatible')
    const server = startProcess(env())
    expect((await fetch(`${await server.ready}/health/ready`)).status).toBe(200)
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(server.output()).not.toContain('"level":40')

    await applyMigration('999-breaking', 'breaking')
    const sentence = 'A newer version of the portal has migrated the database (to 999-breaking): start that version.'
    expect(await runCommand(['serve'], env())).toEqual({ code: 1, output: sentence })
  })
})
