/** Deletes expired uploads, files without a row, and unreferenced resources. It runs every four minutes. */
import { findUploadIdsInUse, deleteExpiredUploads } from '#server/db/catalogue/app-uploads.ts'
import { deleteUnusedResources } from '#server/db/catalogue/web-resources.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { listFilesOlderThan, removeUploadFile } from '#server/use-cases/uploads/upload-files.ts'

const minuteMs = 60_000
/**
 * Minimum age of a file without a row that is deleted. A file is written before its row, so a younger one may belong to a running request.
 */
const minFileAgeMs = 5 * minuteMs
/** Minimum age of an unreferenced resource that is deleted. It is longer than an upload is stored and than publishing takes. */
const resourceLifetimeMs = 25 * 60 * minuteMs

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
