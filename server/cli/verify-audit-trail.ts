/**
 * Checks the logs of the audit trail (S-91): `node server/cli/verify-audit-trail.ts` with the environment of the server, which must
 * not be running where the database is embedded. Exit code 1 and what is broken, where somebody changed or removed an entry.
 */
import '#server/private-files.ts'
import { withApp } from '#server/cli/with-app.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { brokenEntries } from '#server/services/audit/check-log.ts'

await withApp(async (app) => {
  const broken = await inTransaction(app, { role: 'portal_system' }, (db) => brokenEntries(app, db))
  for (const { company_id, id } of broken) console.error(`Broken: entry ${id} of company ${company_id}.`)
  if (broken.length === 0) console.log('The trail is whole.')
  process.exitCode = broken.length === 0 ? 0 : 1
})
