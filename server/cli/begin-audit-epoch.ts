/**
 * After PostgreSQL was restored from a backup, and before the server starts: `node server/cli/begin-audit-epoch.ts` with the environment
 * of the server. The logs of the audit trail say how large they were; devices then tell of a restore and not of a cut log. A folder that
 * `restore-dump.ts` made does so by itself.
 */
import '#server/config/private-files.ts'
import { withApp } from '#server/cli/with-app.ts'
import { beginEpoch } from '#server/use-cases/audit/begin-epoch.ts'

await withApp(async (app) => {
  const { epoch, changedCompanyIds } = await beginEpoch(app)
  for (const companyId of changedCompanyIds)
    console.error(`The log of company ${companyId} is not what its checkpoints sign: restore an older backup.`)
  console.log(`Epoch ${epoch} of the audit trail has begun.`)
  process.exitCode = changedCompanyIds.length === 0 ? 0 : 1
})
