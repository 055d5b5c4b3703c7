/** An integrator in a process of its own, to be killed; `DATABASE_URL` names the database. */
import pino from 'pino'
import { makePool, overPool } from '#server/db/pool.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { appOver } from '#tests/campaigns/audit-trail/databases.ts'

const pool = makePool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 2 }, pino({ level: 'silent' }))
const app = appOver(overPool(pool))
process.send?.('ready')
for (;;) {
  await integrate(app)
  await new Promise((on) => setTimeout(on, 5))
}
