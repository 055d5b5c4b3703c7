/** Finds files of all published client builds. The list of files stays in memory, and files that were read recently too. */
import { createHash } from 'node:crypto'
import { type ClientBuildKey, readPublishedBuilds } from '#server/db/client-builds.ts'
import type { PackedFile } from '#server/db/tables/client-build-tables.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { getPackKey } from '#server/use-cases/client-builds/build-pack.ts'
import { createSharedRuns } from '#server/use-cases/client-builds/shared-runs.ts'

/** Maximum size in bytes of the files in memory. A build has 4 MB in all encodings. */
const maxCachedBytes = 16 * 1_048_576

export interface PublishedAsset {
  /** The file in each encoding that the build has. */
  variants: readonly PackedFile[]
  /** Returns null if the build was deleted meanwhile. Throws an error if the store cannot be read or the bytes are damaged. */
  read(variant: PackedFile): Promise<Buffer | null>
}

export type FindAsset = (name: string) => Promise<PublishedAsset | null>

/** Names of files with a hash, as Vite writes them. No other name is looked up. */
const namePattern = /^[\w.-]{1,100}-[\w-]{8}\.[a-z0-9]{1,12}$/

export function createPublishedAssets(app: AppContext): FindAsset {
  const variantsByName = new Map<string, { key: ClientBuildKey; variants: PackedFile[] }>()
  const knownDigests = new Set<string>()
  const readFile = createFileCache(app)

  const loadNewBuilds = createSharedRuns(async () => {
    for (const { files, ...key } of await readAsSystem(app, (db) => readPublishedBuilds(db, [...knownDigests]))) {
      knownDigests.add(key.digest)
      for (const [name, variants] of Map.groupBy(files, (file) => file.name))
        variantsByName.set(name, { key, variants })
    }
  })

  return async (name) => {
    if (!namePattern.test(name)) return null
    // Another node may have published a build and sent its page since the last call.
    if (!variantsByName.has(name)) await loadNewBuilds()
    const asset = variantsByName.get(name)
    if (!asset) return null
    return {
      variants: asset.variants,
      read: (variant) =>
        readFile(asset.key, variant).catch((error: unknown) => {
          if (error instanceof StoreError && error.fault === 'missing') return null
          throw error
        }),
    }
  }
}

function createFileCache({ files }: AppContext) {
  /** The file that was used longest ago is first. */
  const cached = new Map<string, Buffer>()
  const loading = new Map<string, Promise<Buffer>>()
  let cachedBytes = 0

  function store(id: string, content: Buffer): void {
    cached.set(id, content)
    cachedBytes += content.length
    for (const [oldId, { length }] of cached) {
      if (cachedBytes <= maxCachedBytes) return
      cached.delete(oldId)
      cachedBytes -= length
    }
  }

  async function load(id: string, key: ClientBuildKey, { start, bytes, sha256 }: PackedFile): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    if (bytes > 0)
      for await (const chunk of files.get(getPackKey(key), { range: { start, length: bytes } })) chunks.push(chunk)
    const content = Buffer.concat(chunks)
    const digest = createHash('sha256').update(content).digest('hex')
    // Browsers would keep a damaged file for a year.
    if (digest !== sha256) throw new Error(`the bytes from ${start} of ${getPackKey(key)} are damaged`)
    store(id, content)
    return content
  }

  return async (key: ClientBuildKey, file: PackedFile): Promise<Buffer> => {
    const id = `${key.digest} ${file.start}`
    const content = cached.get(id)
    if (content) {
      cached.delete(id)
      cached.set(id, content)
      return content
    }
    const running = loading.get(id) ?? load(id, key, file).finally(() => loading.delete(id))
    loading.set(id, running)
    return await running
  }
}
