/** Manages the folder of uploaded packages: one file per upload, named by its id. All nodes share it (docs/operating.md). */
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getRefusalThreshold, measureDiskSpace } from '#server/db/embedded/free-space.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export const getUploadFolder = ({ config }: AppContext): string => join(config.filesDir, 'uploads')

export const tusPath = '/api/app/upload/tus'

const idShape = /^[0-9a-f]{32}$/
export const isUploadId = (id: string): boolean => idShape.test(id)

/** Throws if the text is not an upload id, because it becomes part of the path. */
export function getUploadPath(app: AppContext, id: string): string {
  if (!isUploadId(id)) throw new Error('the id of the upload is invalid')
  return join(getUploadFolder(app), id)
}

export const createUploadFolder = async (app: AppContext): Promise<string> => {
  const folder = getUploadFolder(app)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Throws FILES_FULL if that many more bytes would reduce the free space of the volume below its limit. */
export async function requireFileSpace(app: AppContext, bytes: number): Promise<void> {
  const { free: freeBytes, total } = await measureDiskSpace(await createUploadFolder(app))
  if (freeBytes - bytes < getRefusalThreshold(app.config.freeSpace, total))
    throw new ProblemError('FILES_FULL', null, 60)
}

/** Returns the number of received bytes, or 0 if there is no file. */
export const countReceivedBytes = async (app: AppContext, id: string): Promise<number> =>
  (await stat(getUploadPath(app, id)).catch(() => null))?.size ?? 0

export async function removeUploadFile(app: AppContext, id: string): Promise<void> {
  const path = getUploadPath(app, id)
  await Promise.all([path, `${path}.json`].map((filePath) => rm(filePath, { force: true })))
}

/** Returns the ids of files that were not written to for `ageMs`. */
export async function listFilesOlderThan(app: AppContext, ageMs: number): Promise<string[]> {
  const folder = getUploadFolder(app)
  const fileNames = await readdir(folder).catch(() => [])
  const ids = [...new Set(fileNames.map((name) => name.replace(/\.json$/, '')))].filter(isUploadId)
  const getLastWriteTime = async (id: string) => {
    const path = join(folder, id)
    const fileStats = await Promise.all([path, `${path}.json`].map((filePath) => stat(filePath).catch(() => null)))
    return Math.max(...fileStats.map((fileStat) => fileStat?.mtimeMs ?? 0))
  }
  const oldIds: string[] = []
  const now = ids.length > 0 ? await readFileSystemTime(folder) : 0
  for (const id of ids) if (now - (await getLastWriteTime(id)) > ageMs) oldIds.push(id)
  return oldIds
}

/**
 * Returns the time in epoch ms that a file gets which is written now. The times of files come from the clock of their file system, and the
 * nodes that share a folder may have other clocks.
 */
async function readFileSystemTime(folder: string): Promise<number> {
  const path = join(folder, `time-${randomUUID()}`)
  try {
    await writeFile(path, '')
    return (await stat(path)).mtimeMs
  } finally {
    await rm(path, { force: true })
  }
}
