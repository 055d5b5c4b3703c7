/** What was dropped on the page: files, and the packages in folders and in the folders of those, up to a bound. */
import { isMappName } from '#domain/catalogue/mapp.ts'

/** A folder of a whole disk is not looked through: names seen in all, and how deep a package may lie. */
export const folderLimits = { names: 2_000, depth: 5 }

export interface Dropped {
  files: File[]
  /** Folders without a package in them. */
  empty: string[]
  /** Folders that were not looked through to their end. */
  cut: string[]
  /** Folders that the browser could not read. */
  unread: string[]
}

/** Never rejects. Asks for all items at once: after the event there are none any more. */
export async function filesOf(items: DataTransferItemList): Promise<Dropped> {
  const dropped: Dropped = { files: [], empty: [], cut: [], unread: [] }
  const folders: FileSystemDirectoryEntry[] = []
  for (const item of items) {
    const entry = item.kind === 'file' ? item.webkitGetAsEntry?.() : null
    const file = item.kind === 'file' ? item.getAsFile() : null
    // A folder comes as a file too, which cannot be read.
    if (isFolder(entry)) folders.push(entry)
    else if (file) dropped.files.push(file)
  }
  const room = { names: folderLimits.names }
  for (const folder of folders) {
    const found: File[] = []
    const end = await look(folder, found, room, 1).catch(() => 'unread' as const)
    dropped.files.push(...found)
    if (end === 'unread' || end === 'cut') dropped[end].push(folder.name)
    else if (found.length === 0) dropped.empty.push(folder.name)
  }
  return dropped
}

const isFolder = (entry: FileSystemEntry | null | undefined): entry is FileSystemDirectoryEntry =>
  entry?.isDirectory === true

/** Adds the packages of the folder to `found`. `cut`: there is more in it than is looked at. */
async function look(
  folder: FileSystemDirectoryEntry,
  found: File[],
  room: { names: number },
  depth: number,
): Promise<'whole' | 'cut'> {
  if (depth > folderLimits.depth) return 'cut'
  const reader = folder.createReader()
  let end: 'whole' | 'cut' = 'whole'
  for (;;) {
    // Some at a time; none: that was all.
    const entries = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed))
    if (entries.length === 0) return end
    for (const entry of entries) {
      if (room.names-- <= 0) return 'cut'
      if (isFolder(entry)) {
        if ((await look(entry, found, room, depth + 1)) === 'cut') end = 'cut'
      } else if (isMappName(entry.name)) found.push(await fileOf(entry as FileSystemFileEntry))
    }
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((done, failed) => entry.file(done, failed))
