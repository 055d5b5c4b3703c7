import type { Config } from '#server/config/config.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createFolderStore } from '#server/drivers/file-store/folder-store.ts'

/** Opens the configured folder of files, without a check of the free space. */
export const openTestFiles = ({ filesDir }: Pick<Config, 'filesDir'>): FileStore =>
  createFolderStore({ folder: filesDir, hasRoom: async () => true })
