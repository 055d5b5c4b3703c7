/** Removes a user's second factors (argument `company:e-mail`). An embedded database must not be in use. */
import '#server/config/private-files.ts'
import { withApp } from '#server/cli/with-app.ts'
import { StartProblem } from '#server/config/config.ts'
import { resetFactorsByOperator } from '#server/use-cases/factors/reset-factors.ts'

const [username = ''] = process.argv.slice(2)

await withApp(async (app) => {
  if (!username.includes(':'))
    throw new StartProblem('The user is missing. Usage: node server/cli/remove-factors.ts company:e-mail')
  const removedCount = await resetFactorsByOperator(app, username)
  if (removedCount === null) throw new StartProblem(`User ${username} does not exist.`)
  console.log(`Factors removed: ${removedCount}.`)
})
