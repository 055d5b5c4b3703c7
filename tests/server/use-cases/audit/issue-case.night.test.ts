/**
 * Tests the forgery of a bug report: an entry is removed with its leaf, later tiles and checkpoints are deleted, and the server continues
 * for a while. The check by call, the command line, the integrator and a device that had opened the trail must all report it.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { readLatestCheckpoint } from '#server/db/audit/audit-log.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeGeneratedEntries } from '#tests/support/audit-trail/audit-entries.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { addAdmin } from '#tests/support/server/people.ts'
import { compileCacheEnv, quickHashes, quickStart } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { startVerification, createStepJobKinds, runAllJobs } from '#tests/server/jobs/requests.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const readLatest = (app: AppContext, companyId: number) =>
  runInTransaction(app, { role: 'portal_system' }, (db) => readLatestCheckpoint(db, companyId))

/** Removes the entry at `logIndex` as in the bug report: the log is cut there, and the later entries wait to be logged again. */
const forgeLog = (app: AppContext, companyId: number, logIndex: number) =>
  bypassPolicies(app.database, async (db) => {
    const removed = sql`(select entry_id from audit_leaf where company_id = ${companyId} and log_index = ${logIndex})`
    await sql`delete from audit_entry where id = ${removed}`.execute(db)
    await sql`insert into audit_pending (entry_id, company_id) select entry_id, company_id from audit_leaf
      where company_id = ${companyId} and log_index > ${logIndex}`.execute(db)
    await sql`delete from audit_leaf where company_id = ${companyId} and log_index >= ${logIndex}`.execute(db)
    await sql`delete from audit_tile where company_id = ${companyId} and (level > 0 or tile_index > ${Math.floor(logIndex / 256)})`.execute(
      db,
    )
    await sql`update audit_tile set hashes = substring(hashes for ${(logIndex % 256) * 32}) where company_id = ${companyId}`.execute(
      db,
    )
    await sql`delete from audit_checkpoint where company_id = ${companyId}`.execute(db)
  })

it('Nothing is signed over a removed entry, and a requested check reports it (fault 13f)', async () => {
  const { app, world } = server
  const companyId = world.companies.alpha
  await writeGeneratedEntries(app, { companyId, count: 40, startAt: app.clock() })
  await integrate(app)
  await forgeLog(app, companyId, 20)
  for (let round = 0; round < 3; round++) {
    await writeGeneratedEntries(app, { companyId, count: 5, startAt: app.clock() })
    await integrate(app)
  }
  expect(await readLatest(app, companyId)).toBeNull()
  const staff = await server.signIn('admin@m18')
  const { location } = (await startVerification(staff, crypto.randomUUID(), companyId)).headers
  await runAllJobs(server, createStepJobKinds(500))
  const { json } = await staff.send({ method: 'GET', url: String(location) })
  expect((json() as { broken: unknown[] }).broken).not.toEqual([])
  const trail = await (await server.signIn('admin@alpha')).send({ method: 'GET', url: '/api/systrail/checkpoint' })
  expect(trail.json()).toMatchObject({ note: null, alarm: { fault: expect.any(String) } })
  expect(server.readLog()).toContain('"event":"audit_log_changed"')
})

it('verify-audit-trail reports a removed entry, also after the server has continued (fault 13f)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-issue-'))
  const dataDir = join(folder, 'data')
  await createDataFolder(dataDir)
  const env = {
    DATA_DIR: dataDir,
    TOKEN_KEY: '11'.repeat(32),
    DEMO: '0',
    LOG_LEVEL: 'silent',
    ...quickHashes,
    ...compileCacheEnv,
  }
  const script = join(import.meta.dirname, '../../../../server/cli/verify-audit-trail.ts')
  const verify = () =>
    promisify(execFile)(process.execPath, [...quickStart, script], {
      env: { PATH: process.env.PATH ?? '', ...env },
    }).then(
      ({ stdout }) => ({ code: 0, output: stdout }),
      (error: { code: number; stderr: string }) => ({ code: error.code, output: error.stderr }),
    )
  let companyId = 0
  await withContext(env, async (app) => {
    companyId = (await addAdmin(app, 'acme')).companyId
    await writeGeneratedEntries(app, { companyId, count: 40, startAt: 5 })
    await integrate(app)
  })
  expect(await verify()).toMatchObject({ code: 0, output: expect.stringContaining('intact') })
  await withContext(env, async (app) => {
    await forgeLog(app, companyId, 20)
    await writeGeneratedEntries(app, { companyId, count: 5, startAt: 6 })
    await integrate(app)
  })
  const { code, output } = await verify()
  expect([code, output]).toEqual([1, expect.stringContaining(`of company ${companyId}`)])
  await rm(folder, { recursive: true, force: true })
}, 60_000)
