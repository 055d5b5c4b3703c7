/** Runs an integrator in a separate process that a test can kill. `DATABASE_URL` selects the database. */
import pino from 'pino'
import { createPool, createPoolKysely } from '#server/db/pool.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { createAppContext } from '#tests/campaigns/audit-trail/databases.ts'

const pool = createPool({ connectionString: process.env['DATABASE_URL'] ?? '', max: 2 }, pino({ level: 'silent' }))
const app = createAppContext(createPoolKysely(pool))
process.send?.('ready')
for (;;) {
  await integrate(app)
  await new Promise((resolve) => setTimeout(resolve, 5))
}
