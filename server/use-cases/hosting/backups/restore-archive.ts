/** Restores an archive without the portal or its database (docs/operating.md). The result is in the local host's format. */
import { createReadStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildData } from '#server/drivers/hosting/local/build-data.ts'
import { readDataFile } from '#server/drivers/hosting/local/read-data.ts'
import { readArchive } from '#server/use-cases/hosting/backups/archive.ts'
import { createDamagedError } from '#server/use-cases/hosting/backups/archive-error.ts'
import type { ArchiveHead } from '#server/use-cases/hosting/backups/archive-lines.ts'
import { type BackupContents, withDigest } from '#server/use-cases/hosting/backups/digest.ts'

export interface RestoredArchive extends BackupContents {
  head: ArchiveHead
  path: string
}

/**
 * Creates `instance.db` in the folder, which must not contain one. The file is complete and verified, or not created at all. Throws
 * BackupArchiveError, HostingError and file errors.
 */
export async function restoreArchive(
  archive: string,
  identities: readonly string[],
  folder: string,
): Promise<RestoredArchive> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'instance.db')
  const draftPath = `${path}.draft`
  await rm(draftPath, { force: true })
  try {
    const archiveReader = readArchive(createReadStream(archive), identities)
    await buildData(draftPath, archiveReader)
    const rebuiltData = withDigest(readDataFile(draftPath))
    for await (const _ of rebuiltData);
    const [head, contents] = [archiveReader.getHead(), archiveReader.getContents()]
    if (head === null || rebuiltData.getContents().digest !== contents.digest)
      throw createDamagedError('the restored data differs from the archive')
    await rename(draftPath, path)
    return { head, path, ...contents }
  } finally {
    await rm(draftPath, { force: true })
  }
}
