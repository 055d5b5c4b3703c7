/**
 * Takes a user's second factors away: `node server/cli/remove-factors.ts company:e-mail` with the environment of the server,
 * which must not be running where the database is embedded.
 */
import '#server/private-files.ts'
import pino from 'pino'
import { readConfig, StartProblem } from '#server/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { noHosting } from '#server/no-hosting.ts'
import { noPayments } from '#server/payment-methods.ts'
import { forgetFactors } from '#server/services/factors/reset-factors.ts'

try {
  const [username] = process.argv.slice(2)
  if (!username?.includes(':'))
    throw new StartProblem('Name the user: node server/cli/remove-factors.ts company:e-mail.')
  const config = readConfig(process.env)
  const log = pino({ level: 'warn' })
  const database = await openDatabase(config, log)
  const gone = await forgetFactors(
    { config, database, log, clock: Date.now, payments: noPayments, hosting: noHosting },
    username,
  )
  await database.close()
  if (gone === null) throw new StartProblem(`There is no user ${username}.`)
  console.log(`Factors removed: ${gone}.`)
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
}
