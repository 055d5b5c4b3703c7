/**
 * Manages the files of uploads. All nodes share them. A folder has one file per upload, named by its id, which tus writes itself; a bucket
 * has pieces (upload-pieces.ts).
 */
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { getRefusalThreshold, measureDiskSpace } from '#server/db/embedded/free-space.ts'
import type { AppContext } from '#server/context/context.ts'
import { getLocalPath } from '#server/drivers/file-store/file-store.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { withFileProblems } from '#server/use-cases/uploads/file-problems.ts'
import { getCacheFolder, withTemporaryCopy } from '#server/use-cases/uploads/local-copies.ts'
import {
  countBytes,
  listPieces,
  listUploadTimes,
  readPieces,
  readStoreTime,
  removePieces,
  writePieces,
} from '#server/use-cases/uploads/upload-pieces.ts'

export const tusPath = '/api/app/upload/tus'

const idShape = /^[0-9a-f]{32}$/
export const isUploadId = (id: string): boolean => idShape.test(id)

/** Returns null for a bucket. Throws if the text is not an upload id, because it becomes part of the path. */
function findUploadPath(app: AppContext, id: string): string | null {
  if (!isUploadId(id)) throw new Error('the id of the upload is invalid')
  return getLocalPath(app.files, `uploads/${id}`)
}

/** Returns the folder in which this machine receives uploads. With a bucket it is only for forms, until they are in the bucket. */
export async function createUploadFolder(app: AppContext): Promise<string> {
  const { location } = app.files
  const folder = location.kind === 'folder' ? join(location.folder, 'uploads') : getCacheFolder(app, 'forms')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Throws FILES_FULL if that many more bytes would reduce the free space of the volume of the upload folder below its limit. */
export async function requireFileSpace(app: AppContext, bytes: number): Promise<void> {
  const { free: freeBytes, total } = await measureDiskSpace(await createUploadFolder(app))
  if (freeBytes - bytes < getRefusalThreshold(app.config.freeSpace, total))
    throw new ProblemError('FILES_FULL', null, 60)
}

/** Returns the number of received bytes, or 0 if there is no file. */
export async function countReceivedBytes(app: AppContext, id: string): Promise<number> {
  const path = findUploadPath(app, id)
  if (path === null) return withFileProblems(app, async () => countBytes(await listPieces(app.files, id)))
  return (await stat(path).catch(() => null))?.size ?? 0
}

/** Calls `work` with a file of this machine that has the content of the upload: with a bucket a copy, which is removed afterwards. */
export async function withUploadFile<T>(app: AppContext, id: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = findUploadPath(app, id)
  return path === null ? withTemporaryCopy(app, readPieces(app.files, id), work) : work(path)
}

export function readUploadBytes(app: AppContext, id: string): AsyncIterable<Uint8Array> {
  return findUploadPath(app, id) === null ? readPieces(app.files, id) : app.files.get(`uploads/${id}`)
}

/** Stores a file that was received in the upload folder. Returns false if it is in its final position, so that it must not be deleted. */
export async function storeReceivedFile(app: AppContext, { id, path }: { id: string; path: string }): Promise<boolean> {
  if (findUploadPath(app, id) !== null) return false
  await withFileProblems(app, () => writePieces(app.files, id, 0, createReadStream(path)))
  return true
}

export async function removeUploadFile(app: AppContext, id: string): Promise<void> {
  const path = findUploadPath(app, id)
  if (path === null) return withFileProblems(app, () => removePieces(app.files, id))
  await Promise.all([path, `${path}.json`].map((filePath) => rm(filePath, { force: true })))
}

/** Returns the ids of uploads that were not written to for `ageMs`, by the clock of the store. */
export async function listFilesOlderThan(app: AppContext, ageMs: number): Promise<string[]> {
  const { location } = app.files
  const times = location.kind === 'folder' ? await readFileTimes(location.folder) : await listUploadTimes(app.files)
  const uploadTimes = [...times].filter(([id]) => isUploadId(id))
  if (uploadTimes.length === 0) return []
  // File times come from the clock of the file system. In tests the server's clock may differ from it.
  const now = await readStoreTime(app.files)
  return uploadTimes.filter(([, time]) => now - time > ageMs).map(([id]) => id)
}

async function readFileTimes(filesFolder: string): Promise<Map<string, number>> {
  const folder = join(filesFolder, 'uploads')
  const times = new Map<string, number>()
  for (const name of await readdir(folder).catch(() => [])) {
    const id = name.replace(/\.json$/, '')
    const modifiedAt = (await stat(join(folder, name)).catch(() => null))?.mtimeMs ?? 0
    times.set(id, Math.max(times.get(id) ?? 0, modifiedAt))
  }
  return times
}
