/** Integrators that are killed in the middle, two of them at work on one log, while people go on writing. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { openDatabase } from '#tests/campaigns/audit-trail/databases.ts'
import { between, type Chance } from '#tests/support/runner/chance.ts'

const kills = 10
const companies = [7, 8]

export async function killIntegrators(cluster: string, chance: Chance): Promise<string[]> {
  const { app, url, close } = await openDatabase(cluster, 'killed')
  let isOver = false
  let written = 0
  const writing = companies.map(async (companyId) => {
    while (!isOver) {
      const head = { companyId, userId: null, now: Date.now(), status: 0 as const, intent: null, requestId: '' }
      await inTransaction(app, { role: 'portal_app', companyId }, (db) =>
        addToTrail(db, head, [{ code: 'user', operation: 'update', info: { written } }]),
      )
      written++
    }
  })
  for (let at = 0; at < kills; at++) {
    const two = await Promise.all([begin(url), begin(url)])
    await wait(between(chance, 50, 450))
    await Promise.all(two.map((child) => new Promise((gone) => child.on('exit', gone) && child.kill('SIGKILL'))))
  }
  isOver = true
  await Promise.all(writing)
  const before = await places(app)
  await integrate(app)
  const after = await places(app)
  const broken = await inTransaction(app, { role: 'portal_system' }, (db) => brokenEntries(app, db))
  await close()
  console.log(
    `${kills} times two integrators killed: ${before} of ${written} entries placed by them, ${after} in the end`,
  )
  return [
    ...(after === written ? [] : [`${after} places for ${written} entries`]),
    ...broken.map(({ company_id, id }) => `broken at ${id} of ${company_id}`),
  ]
}

async function begin(url: string) {
  const child = fork(join(import.meta.dirname, 'integrator.ts'), {
    env: { ...process.env, DATABASE_URL: url },
  })
  await new Promise((ready) => child.once('message', ready))
  return child
}

const places = (app: Parameters<typeof inTransaction>[0]) =>
  inTransaction(app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ count: number }>`select count(*)::integer as count from audit_leaf`.execute(db)
    return rows[0]?.count ?? 0
  })
