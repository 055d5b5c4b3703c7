/** Uploads whose day is over, files that are nobody's, and resources that nothing names: gone within ten minutes. */
import { idsInUse, sweepUploads } from '#server/db/catalogue/app-uploads.ts'
import { sweepResources } from '#server/db/catalogue/web-resources.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { filesOlderThan, removeUploadFile } from '#server/use-cases/uploads/upload-files.ts'

const asSystem = { role: 'portal_system' } as const
const minuteMs = 60_000
/** A file stands in the folder before its row is there: as long as a request may last. */
const youngMs = 5 * minuteMs
/** As an upload is kept, and longer than one is published. */
const resourceMs = 25 * 60 * minuteMs

/** How many of each kind went. */
export async function sweepPackages(app: AppContext): Promise<{ uploads: number; files: number; resources: number }> {
  const now = app.clock()
  const uploads = await inTransaction(app, asSystem, (db) => sweepUploads(db, now))
  const old = await filesOlderThan(app, youngMs)
  const used = await inTransaction(app, asSystem, (db) => idsInUse(db, old), 'reading')
  const unused = old.filter((id) => !used.has(id))
  for (const id of unused) await removeUploadFile(app, id)
  const resources = await inTransaction(app, asSystem, (db) => sweepResources(db, now - resourceMs))
  return { uploads, files: unused.length, resources }
}
