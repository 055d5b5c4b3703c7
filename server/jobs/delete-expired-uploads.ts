/** Deletes expired uploads, files without a row, and unreferenced resources. It runs every four minutes. */
import { findUploadIdsInUse, deleteExpiredUploads } from '#server/db/catalogue/app-uploads.ts'
import { deleteUnusedResources } from '#server/db/catalogue/web-resources.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { removeOldCopies } from '#server/use-cases/uploads/local-copies.ts'
import { listFilesOlderThan, removeUploadFile } from '#server/use-cases/uploads/upload-files.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/**
 * Minimum age of a file without a row that is deleted. A file is written before its row, so a younger one may belong to a running request.
 */
const minFileAgeMs = 5 * minuteMs
/** Minimum age of an unreferenced resource that is deleted. It is longer than an upload is stored and than publishing takes. */
const resourceLifetimeMs = 25 * 60 * minuteMs

/** Prefixes of the files that the portal writes itself. In a bucket, an interrupted write may leave parts that no list shows. */
const filePrefixes = ['audit-archive/', 'packages/', 'uploads/']

/** Runs once a day on every node. Deletes remains of killed processes. Returns how many were deleted. */
export async function deletePartsOfFiles(app: AppContext): Promise<number> {
  let removedCount = await removeOldCopies(app)
  for (const prefix of filePrefixes) removedCount += await app.files.cleanUp(dayMs, prefix)
  return removedCount
}

export async function deleteExpiredUploadFiles(
  app: AppContext,
): Promise<{ uploads: number; files: number; resources: number }> {
  const now = app.clock()
  const uploads = await writeAsSystem(app, (db) => deleteExpiredUploads(db, now))
  const oldFileIds = await listFilesOlderThan(app, minFileAgeMs)
  const usedIds = await readAsSystem(app, (db) => findUploadIdsInUse(db, oldFileIds))
  const unusedIds = oldFileIds.filter((id) => !usedIds.has(id))
  for (const id of unusedIds) await removeUploadFile(app, id)
  const resources = await writeAsSystem(app, (db) => deleteUnusedResources(db, now - resourceLifetimeMs))
  return { uploads, files: unusedIds.length, resources }
}
