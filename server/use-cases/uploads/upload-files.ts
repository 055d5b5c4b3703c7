/** The folder of uploaded packages: a file for each, named by its upload. All nodes share it (docs/operating.md). */
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { markOf, measure } from '#server/db/embedded/free-space.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export const uploadFolder = ({ config }: AppContext): string => join(config.filesDir, 'uploads')

/** Where packages are received in pieces. */
export const tusPath = '/api/app/upload/tus'

const idShape = /^[0-9a-f]{32}$/
export const isUploadId = (id: string): boolean => idShape.test(id)

/** Throws for what is no id of ours: it is part of a path. */
export function uploadPath(app: AppContext, id: string): string {
  if (!isUploadId(id)) throw new Error('no id of an upload')
  return join(uploadFolder(app), id)
}

export const makeUploadFolder = async (app: AppContext): Promise<string> => {
  const folder = uploadFolder(app)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Throws FILES_FULL where so many bytes more would take the volume below its free-space mark. */
export async function requireFileSpace(app: AppContext, bytes: number): Promise<void> {
  const { free, total } = await measure(await makeUploadFolder(app))
  if (free - bytes < markOf(app.config.freeSpace, total)) throw new ProblemError('FILES_FULL', null, 60)
}

/** Bytes that have come; 0 where there is no file. */
export const receivedBytes = async (app: AppContext, id: string): Promise<number> =>
  (await stat(uploadPath(app, id)).catch(() => null))?.size ?? 0

/** With what tus keeps beside it. */
export async function removeUploadFile(app: AppContext, id: string): Promise<void> {
  const path = uploadPath(app, id)
  await Promise.all([path, `${path}.json`].map((one) => rm(one, { force: true })))
}

/** Ids of files that nobody has written to for so long, in ms. */
export async function filesOlderThan(app: AppContext, ageMs: number): Promise<string[]> {
  const folder = uploadFolder(app)
  const names = await readdir(folder).catch(() => [])
  const ids = [...new Set(names.map((name) => name.replace(/\.json$/, '')))].filter(isUploadId)
  const last = async (id: string) => {
    const path = join(folder, id)
    const found = await Promise.all([path, `${path}.json`].map((one) => stat(one).catch(() => null)))
    return Math.max(...found.map((one) => one?.mtimeMs ?? 0))
  }
  const old: string[] = []
  // The file system's own clock, which the server's may be off from in tests.
  for (const id of ids) if (Date.now() - (await last(id)) > ageMs) old.push(id)
  return old
}
