/**
 * One entry is removed with its leaf, later tiles and checkpoints are deleted, and the server goes on for a while: the check by call and on
 * the command line, the integrator and a device that had opened the trail all raise an alarm.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AppContext } from '#server/context/context.ts'
import { newestCheckpoint } from '#server/db/audit/audit-log.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { writeMany } from '#tests/support/audit-trail/audit-entries.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { addAdmin } from '#tests/support/server/people.ts'
import { keptCode, quickHashes, quickStart } from '#tests/support/server/process.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'
import { begin, bySteps, workAll } from '#tests/server/jobs/requests.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const newest = (app: AppContext, companyId: number) =>
  inTransaction(app, { role: 'portal_system' }, (db) => newestCheckpoint(db, companyId))

/** What the issue did: cut behind `place`, without a trace. */
const forge = (app: AppContext, companyId: number, place: number) =>
  pastPolicies(app.database, async (db) => {
    const removed = sql`(select entry_id from audit_leaf where company_id = ${companyId} and log_index = ${place})`
    await sql`delete from audit_entry where id = ${removed}`.execute(db)
    await sql`insert into audit_pending (entry_id, company_id) select entry_id, company_id from audit_leaf
      where company_id = ${companyId} and log_index > ${place}`.execute(db)
    await sql`delete from audit_leaf where company_id = ${companyId} and log_index >= ${place}`.execute(db)
    await sql`delete from audit_tile where company_id = ${companyId} and (level > 0 or tile_index > ${Math.floor(place / 256)})`.execute(
      db,
    )
    await sql`update audit_tile set hashes = substring(hashes for ${(place % 256) * 32}) where company_id = ${companyId}`.execute(
      db,
    )
    await sql`delete from audit_checkpoint where company_id = ${companyId}`.execute(db)
  })

it('fault 13f an entry removed with its leaf, later tiles and checkpoints: nothing is signed over it, and verify says so', async () => {
  const { app, world } = server
  const companyId = world.companies.alpha
  await writeMany(app, { companyId, count: 40, at: app.clock() })
  await integrate(app)
  await forge(app, companyId, 20)
  for (let round = 0; round < 3; round++) {
    await writeMany(app, { companyId, count: 5, at: app.clock() })
    await integrate(app)
  }
  expect(await newest(app, companyId)).toBeNull()
  const staff = await server.signIn('admin@m18')
  const { location } = (await begin(staff, crypto.randomUUID(), companyId)).headers
  await workAll(server, bySteps(500))
  const { json } = await staff.send({ method: 'GET', url: String(location) })
  expect((json() as { broken: unknown[] }).broken).not.toEqual([])
  const trail = await (await server.signIn('admin@alpha')).send({ method: 'GET', url: '/api/systrail/checkpoint' })
  expect(trail.json()).toMatchObject({ note: null, alarm: { fault: expect.any(String) } })
  expect(server.logged()).toContain('the audit log was changed: nothing more of it is signed')
})

it('fault 13f the command line says so too, also after the server went on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portal-issue-'))
  const dataDir = join(folder, 'data')
  await layDataFolder(dataDir)
  const env = {
    DATA_DIR: dataDir,
    TOKEN_KEY: '11'.repeat(32),
    DEMO: '0',
    LOG_LEVEL: 'silent',
    ...quickHashes,
    ...keptCode,
  }
  const script = join(import.meta.dirname, '../../../../server/cli/verify-audit-trail.ts')
  const verify = () =>
    promisify(execFile)(process.execPath, [...quickStart, script], {
      env: { PATH: process.env.PATH ?? '', ...env },
    }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      (error: { code: number; stderr: string }) => ({ code: error.code, said: error.stderr }),
    )
  let companyId = 0
  await withContext(env, async (app) => {
    companyId = (await addAdmin(app, 'acme')).companyId
    await writeMany(app, { companyId, count: 40, at: 5 })
    await integrate(app)
  })
  expect(await verify()).toMatchObject({ code: 0, said: expect.stringContaining('whole') })
  await withContext(env, async (app) => {
    await forge(app, companyId, 20)
    await writeMany(app, { companyId, count: 5, at: 6 })
    await integrate(app)
  })
  const { code, said } = await verify()
  expect([code, said]).toEqual([1, expect.stringContaining(`of company ${companyId}`)])
  await rm(folder, { recursive: true, force: true })
}, 60_000)
