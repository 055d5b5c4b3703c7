/**
 * Kills integrators, which add waiting entries to the log, at random moments, while two of them work on one log and writers add entries.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { openDatabase } from '#tests/campaigns/audit-trail/databases.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'

const killCount = 10
const companies = [7, 8]

export async function killIntegrators(cluster: string, random: Random): Promise<string[]> {
  const { app, url, close } = await openDatabase(cluster, 'killed')
  let isOver = false
  let written = 0
  const writers = companies.map(async (companyId) => {
    while (!isOver) {
      const header = { companyId, userId: null, now: Date.now(), status: 0 as const, intent: null, requestId: '' }
      await runInTransaction(app, { role: 'portal_app', companyId }, (db) =>
        addAuditEntries(db, header, [{ code: 'user', operation: 'update', info: { written } }]),
      )
      written++
    }
  })
  for (let round = 0; round < killCount; round++) {
    const integrators = await Promise.all([startIntegrator(url), startIntegrator(url)])
    await wait(drawBetween(random, 50, 450))
    await Promise.all(
      integrators.map((child) => new Promise((resolve) => child.on('exit', resolve) && child.kill('SIGKILL'))),
    )
  }
  isOver = true
  await Promise.all(writers)
  const placedBefore = await countPlaced(app)
  await integrate(app)
  const placedAfter = await countPlaced(app)
  const brokenEntries = await runInTransaction(app, { role: 'portal_system' }, (db) => findBrokenEntries(app, db))
  await close()
  console.log(
    `two integrators killed ${killCount} times: they placed ${placedBefore} of ${written} entries, ${placedAfter} were placed in the end`,
  )
  return [
    ...(placedAfter === written ? [] : [`${placedAfter} entries were placed, but ${written} were written`]),
    ...brokenEntries.map(({ company_id, id }) => `entry ${id} of company ${company_id} is broken`),
  ]
}

async function startIntegrator(url: string) {
  const child = fork(join(import.meta.dirname, 'integrator.ts'), {
    env: { ...process.env, DATABASE_URL: url },
  })
  await new Promise((resolve) => child.once('message', resolve))
  return child
}

const countPlaced = (app: Parameters<typeof runInTransaction>[0]) =>
  runInTransaction(app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from audit_leaf`.execute(db)
    return rows[0]?.count ?? 0
  })
