/**
 * Packs the files of a client build into one object of the file store: all files one after the other. One object is stored as a whole or not
 * at all, and a build of 170 files needs one request.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientBuildKey } from '#server/db/client-builds.ts'
import type { PackedFile } from '#server/db/tables/client-build-tables.ts'

export interface BuildFile extends Omit<PackedFile, 'sha256' | 'start'> {
  path: string
}

export const getPackKey = ({ build, digest }: ClientBuildKey): string => `client/${build}/${digest}.pack`

/** Names of builds that are allowed in a key of the file store. */
export const buildPattern = /^\d{1,15}-[0-9a-f]{16}$/

const encodings: Record<string, PackedFile['encoding']> = { '.br': 'br', '.gz': 'gzip' }

/** Returns the files in `assets` of the client's folder, sorted by path. */
export async function listBuildFiles(dist: string): Promise<BuildFile[]> {
  const folder = join(dist, 'assets')
  if (!existsSync(folder)) return []
  const paths = (await readdir(folder)).sort().map((name) => join(folder, name))
  return await Promise.all(
    paths.map(async (path) => {
      const [, base = path, extension = ''] = /^(.*?)(\.br|\.gz)?$/s.exec(path) ?? []
      const { size } = await stat(path)
      return { path, name: base.slice(folder.length + 1), encoding: encodings[extension] ?? 'identity', bytes: size }
    }),
  )
}

/** Names and sizes are enough, because each name contains a hash of the content. */
export function computeDigest(build: string, files: readonly BuildFile[]): string {
  const hash = createHash('sha256').update(build)
  for (const { name, encoding, bytes } of files) hash.update(`\n${name} ${encoding} ${bytes}`)
  return hash.digest('hex').slice(0, 32)
}

/** Yields the content of the files and adds each to `packed`. Throws an error if a file was changed meanwhile. */
export async function* readPack(files: readonly BuildFile[], packed: PackedFile[]): AsyncGenerator<Uint8Array> {
  let start = 0
  for (const { path, name, encoding, bytes } of files) {
    const content = await readFile(path)
    if (content.length !== bytes) throw new Error(`${path} was changed while it was read`)
    packed.push({ name, encoding, start, bytes, sha256: createHash('sha256').update(content).digest('hex') })
    start += bytes
    if (bytes > 0) yield content
  }
}
