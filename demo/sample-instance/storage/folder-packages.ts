/** Stores the data files of packages as `packages/<sha256>.json`. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readJsonFile } from '#server/drivers/hosting/atomic-file.ts'
import type { AppFile, PackageStore } from '#demo/sample-instance/storage/instance-storage.ts'
import { writeDurably } from '#demo/sample-instance/storage/write-durably.ts'

export function openFolderPackages(folder: string): PackageStore {
  const getPath = (sha256: string) => join(folder, `${sha256}.json`)
  const list = async () => readdirSync(folder).flatMap((name) => /^([0-9a-f]{64})\.json$/.exec(name)?.slice(1) ?? [])
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return {
    list,
    read: async (sha256) => readJsonFile<AppFile[]>(getPath(sha256)),
    add: async (sha256, files) => writeDurably(getPath(sha256), JSON.stringify(files)),
    async keep(sha256s) {
      const listedPackages = new Set(sha256s)
      for (const sha256 of await list()) if (!listedPackages.has(sha256)) rmSync(getPath(sha256), { force: true })
    },
  }
}
