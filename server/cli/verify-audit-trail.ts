/**
 * Checks the logs of the audit trail (S-91): `node server/cli/verify-audit-trail.ts` with the environment of the server, which must
 * not be running where the database is embedded. Exit code 1 and what is broken, where somebody changed or removed an entry.
 */
import '#server/private-files.ts'
import pino from 'pino'
import { readConfig, StartProblem } from '#server/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { keyOfFolder } from '#server/db/accounts/token-key.ts'
import { noHosting } from '#server/no-hosting.ts'
import { noPayments } from '#server/payment-methods.ts'
import { brokenEntries } from '#server/services/audit/check-log.ts'

try {
  const config = readConfig(process.env)
  const log = pino({ level: 'warn' })
  const database = await openDatabase(config, log)
  const tokenKey = config.tokenKeyGiven ? config.tokenKey : await keyOfFolder(config)
  const app = {
    config: { ...config, tokenKey },
    database,
    log,
    clock: Date.now,
    payments: noPayments,
    hosting: noHosting,
  }
  const broken = await inTransaction(app, { role: 'portal_system' }, (db) => brokenEntries(app, db))
  await database.close()
  for (const { company_id, id } of broken) console.error(`Broken: entry ${id} of company ${company_id}.`)
  if (broken.length === 0) console.log('The trail is whole.')
  process.exitCode = broken.length === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}
