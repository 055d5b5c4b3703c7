/**
 * After PostgreSQL was restored from a backup, and before the server starts: `node server/cli/begin-audit-epoch.ts` with the environment
 * of the server. The logs of the audit trail say how large they were; devices then tell of a restore and not of a cut log. A folder that
 * `restore-dump.ts` made does so by itself.
 */
import '#server/private-files.ts'
import pino from 'pino'
import { readConfig, StartProblem } from '#server/config.ts'
import { keyOfFolder } from '#server/db/accounts/token-key.ts'
import { openDatabase } from '#server/db/open.ts'
import { integrate } from '#server/services/audit/integrate.ts'
import { noHosting } from '#server/no-hosting.ts'
import { noPayments } from '#server/payment-methods.ts'
import { beginEpoch } from '#server/services/audit/begin-epoch.ts'

try {
  const config = readConfig(process.env)
  const log = pino({ level: 'warn' })
  const tokenKey = config.tokenKeyGiven ? config.tokenKey : await keyOfFolder(config)
  const database = await openDatabase(config, log)
  const app = {
    config: { ...config, tokenKey },
    database,
    log,
    clock: Date.now,
    payments: noPayments,
    hosting: noHosting,
  }
  await integrate(app)
  const epoch = await beginEpoch(app)
  await database.close()
  console.log(`Epoch ${epoch} of the audit trail has begun.`)
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}
