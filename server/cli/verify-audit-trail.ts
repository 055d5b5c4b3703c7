/**
 * Checks the logs of the audit trail (S-91): `node server/cli/verify-audit-trail.ts` with the environment of the server. With the embedded
 * database, the server must not be running. If an entry was changed or removed, it prints the fault and exits with code 1.
 */
import '#server/config/private-files.ts'
import { withApp } from '#server/cli/with-app.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { readStoredNotes } from '#server/use-cases/audit/stored-notes.ts'

await withApp(async (app) => {
  const storedNotes = await readStoredNotes(app)
  const brokenEntries = await writeAsSystem(app, (db) =>
    findBrokenEntries(app, db, { storedNotes: storedNotes ?? new Map() }),
  )
  for (const { company_id, id } of brokenEntries)
    console.error(`Entry ${id} of company ${company_id} was changed or is missing.`)
  if (!storedNotes)
    console.error('Could not read the checkpoint store (AUDIT_CHECKPOINT_STORE): the trail was not compared with it.')
  const isTrailIntact = brokenEntries.length === 0 && storedNotes !== null
  if (isTrailIntact) console.log('The audit trail is intact.')
  process.exitCode = isTrailIntact ? 0 : 1
})
