/** Reads what was dropped on the page: files, and packages in folders and their subfolders, up to a limit. */
import { isMappName } from '#domain/catalogue/mapp.ts'

/** Limits the search if somebody drops a whole disk: number of names in total, and depth of the folders. */
const folderLimits = { names: 2_000, depth: 5 }

export interface DroppedFiles {
  files: File[]
  empty: string[]
  /** Folders that were searched only in part, because a limit was reached. */
  cut: string[]
  unread: string[]
}

/** Never rejects. Reads the list of items before the first `await`, because it is empty after the drop event. */
export async function readDroppedFiles(items: DataTransferItemList): Promise<DroppedFiles> {
  const { files, folders } = splitItems(items)
  const droppedFiles: DroppedFiles = { files, empty: [], cut: [], unread: [] }
  const budget = { names: folderLimits.names }
  for (const folder of folders) {
    const packages: File[] = []
    const outcome = await collectPackages(folder, packages, budget, 1).catch(() => 'unread' as const)
    droppedFiles.files.push(...packages)
    if (outcome !== 'complete') droppedFiles[outcome].push(folder.name)
    else if (packages.length === 0) droppedFiles.empty.push(folder.name)
  }
  return droppedFiles
}

function splitItems(items: DataTransferItemList) {
  const files: File[] = []
  const folders: FileSystemDirectoryEntry[] = []
  for (const item of items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry?.()
    const file = item.getAsFile()
    // The browser also returns a file for a folder, but its content cannot be read.
    if (isFolder(entry)) folders.push(entry)
    else if (file) files.push(file)
  }
  return { files, folders }
}

const isFolder = (entry: FileSystemEntry | null | undefined): entry is FileSystemDirectoryEntry =>
  entry?.isDirectory === true

/** Adds the packages of the folder to `packages`. Returns `cut` if a limit was reached. */
async function collectPackages(
  folder: FileSystemDirectoryEntry,
  packages: File[],
  budget: { names: number },
  depth: number,
): Promise<'complete' | 'cut'> {
  if (depth > folderLimits.depth) return 'cut'
  const reader = folder.createReader()
  let outcome: 'complete' | 'cut' = 'complete'
  for (;;) {
    // `readEntries` returns a part of the entries at a time; an empty part is the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return outcome
    for (const entry of entries) {
      if (budget.names-- <= 0) return 'cut'
      if (isFolder(entry)) {
        if ((await collectPackages(entry, packages, budget, depth + 1)) === 'cut') outcome = 'cut'
      } else if (isMappName(entry.name)) packages.push(await toFile(entry as FileSystemFileEntry))
    }
  }
}

const toFile = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))
