/**
 * Checks the trail's chain of hashes (S-91): `node server/cli/verify-audit-trail.ts` with the environment of the server, which
 * must not be running where the database is embedded. Exit code 1 and the rows, where somebody changed or removed one.
 */
import '#server/private-files.ts'
import pino from 'pino'
import { readConfig, StartProblem } from '#server/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { brokenLinks } from '#server/db/audit/audit-trail.ts'
import { noPayments } from '#server/payment-methods.ts'

try {
  const config = readConfig(process.env)
  const log = pino({ level: 'warn' })
  const database = await openDatabase(config, log)
  const app = { config, database, log, clock: Date.now, payments: noPayments }
  const broken = await inTransaction(app, { role: 'portal_system' }, (db) => brokenLinks(db))
  await database.close()
  for (const { company_id, id } of broken) console.error(`Broken: row ${id} of company ${company_id}.`)
  if (broken.length === 0) console.log('The trail is whole.')
  process.exitCode = broken.length === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}
