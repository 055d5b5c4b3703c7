/** Copies the files of a folder into a bucket and compares them. It can be repeated: only what is missing is written. */
import { hashBody } from '#server/drivers/file-store/bodies.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import {
  buildInfoKey,
  countBytes,
  listPieces,
  readPieces,
  writePieces,
} from '#server/use-cases/uploads/upload-pieces.ts'

/** `different`: the bucket has another file of that name, which stays. `damaged`: the folder's package differs from its SHA-256. */
type CopyOutcome = 'copied' | 'equal' | 'different' | 'damaged'

/** Yields a result per file. Throws StoreError. */
export async function* copyFiles(
  source: FileStore,
  target: FileStore,
): AsyncGenerator<{ key: string; outcome: CopyOutcome }> {
  for await (const { key, bytes } of source.list('')) {
    // Earlier versions wrote drafts next to the files.
    if (/\.part(ial)?$/.test(key)) continue
    const [, uploadId, ending] = /^uploads\/([0-9a-f]{32})(\.json)?$/.exec(key) ?? []
    const outcome =
      uploadId === undefined || ending !== undefined
        ? await copyFile(source, target, key, uploadId === undefined ? key : buildInfoKey(uploadId))
        : await copyUpload(source, target, { key, bytes, uploadId })
    yield { key, outcome }
  }
}

async function copyFile(source: FileStore, target: FileStore, key: string, targetKey: string): Promise<CopyOutcome> {
  const sourceHash = await hashBody(source.get(key))
  const [, packageHash] = /^packages\/([0-9a-f]{64})\.mapp$/.exec(key) ?? []
  if (packageHash !== undefined && packageHash !== sourceHash) return 'damaged'
  const isMissing = (await target.stat(targetKey)) === null
  if (isMissing) await target.put(targetKey, source.get(key), { onlyIfAbsent: true })
  if ((await hashBody(target.get(targetKey))) !== sourceHash) return 'different'
  return isMissing ? 'copied' : 'equal'
}

/** Copies an upload that is not published yet. A folder has it in one file, a bucket in pieces, to which the missing bytes are added. */
async function copyUpload(
  source: FileStore,
  target: FileStore,
  { key, bytes, uploadId }: { key: string; bytes: number; uploadId: string },
): Promise<CopyOutcome> {
  const start = countBytes(await listPieces(target, uploadId))
  const range = { start, length: Math.max(0, bytes - start) }
  if (range.length > 0) await writePieces(target, uploadId, start, source.get(key, { range }))
  if ((await hashBody(readPieces(target, uploadId))) !== (await hashBody(source.get(key)))) return 'different'
  return range.length > 0 ? 'copied' : 'equal'
}
