/** Describes the files of an image, and writes them as a tar archive. The same entries always give the same archive. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack } from 'tar-stream'

/** `path` has no leading slash. Parent folders are created. */
export type ImageEntry = { path: string } & (
  | { kind: 'folder'; mode: number }
  | { kind: 'link'; target: string }
  | { kind: 'text'; mode: number; text: string }
  /** Copies a file of this machine. */
  | { kind: 'copy'; mode: number; source: string }
)

/** Adds the parent folders, and sorts, so that a folder comes before its files. Throws if two entries have one path. */
export function completeEntries(entries: readonly ImageEntry[]): ImageEntry[] {
  const entriesByPath = new Map<string, ImageEntry>()
  for (const entry of entries) {
    if (entriesByPath.has(entry.path)) throw new Error(`the image would have two files ${entry.path}`)
    entriesByPath.set(entry.path, entry)
  }
  for (const { path } of entries)
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent))
      if (!entriesByPath.has(parent)) entriesByPath.set(parent, { path: parent, kind: 'folder', mode: 0o755 })
  return [...entriesByPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns a SHA-256 over all entries and their content, as hex. */
export async function hashEntries(entries: readonly ImageEntry[]): Promise<string> {
  const hash = createHash('sha256')
  for (const entry of entries) {
    const { kind, path } = entry
    hash.update(JSON.stringify([kind, path, 'mode' in entry && entry.mode, kind === 'link' && entry.target]))
    if (kind === 'copy') hash.update(await hashFile(entry.source))
    if (kind === 'text') hash.update(JSON.stringify(entry.text))
  }
  return hash.digest('hex')
}

async function hashFile(path: string): Promise<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk)
  return hash.digest()
}

/** All files belong to root and have the time 0. */
export function packEntries(entries: readonly ImageEntry[]): Readable {
  const archive = pack()
  writeEntries(archive, entries).then(
    () => archive.finalize(),
    (error: Error) => archive.destroy(error),
  )
  return archive
}

type TarPack = ReturnType<typeof pack>

async function writeEntries(archive: TarPack, entries: readonly ImageEntry[]): Promise<void> {
  for (const entry of entries) {
    const shared = { name: entry.path, mtime: new Date(0), uid: 0, gid: 0 }
    if (entry.kind === 'folder') await writeOne(archive, { ...shared, type: 'directory', mode: entry.mode })
    else if (entry.kind === 'link')
      await writeOne(archive, { ...shared, type: 'symlink', mode: 0o777, linkname: entry.target })
    else if (entry.kind === 'text') {
      const bytes = Buffer.from(entry.text)
      await writeOne(archive, { ...shared, type: 'file', mode: entry.mode, size: bytes.length }, Readable.from([bytes]))
    } else {
      const { size } = await stat(entry.source)
      const header = { ...shared, type: 'file', mode: entry.mode, size } as const
      await writeOne(archive, header, createReadStream(entry.source))
    }
  }
}

async function writeOne(archive: TarPack, header: Parameters<TarPack['entry']>[0], content?: Readable): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stream = archive.entry(header, (error) => (error ? reject(error) : resolve()))
    if (content) pipeline(content, stream).catch(reject)
    else stream.end()
  })
}
