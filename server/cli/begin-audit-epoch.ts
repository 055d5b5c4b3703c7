/**
 * Records a restore of the database in each log of the audit trail, with the size that the log had after the restore. Devices then report a
 * restore instead of removed entries. Run `node server/cli/begin-audit-epoch.ts`, with the environment of the server, after PostgreSQL was
 * restored from a backup and before the server starts. For a folder that `restore-dump.ts` created, the server does this by itself.
 */
import '#server/config/private-files.ts'
import { withApp } from '#server/cli/with-app.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'

await withApp(async (app) => {
  const { epoch, changedCompanyIds } = await beginEpoch(app)
  for (const companyId of changedCompanyIds)
    console.error(
      `The log of company ${companyId} does not match its signed checkpoints: use AUDIT_KEY and AUDIT_NAME of the time of the backup, or restore an older backup.`,
    )
  console.log(`Epoch ${epoch} of the audit trail was recorded.`)
  process.exitCode = changedCompanyIds.length === 0 ? 0 : 1
})
