import type { AppContent } from '#demo/sample-instance/erp/app-data.ts'
import type { ContractApp } from '#demo/sample-instance/contract/environment.ts'
import type { AppFile, PackageStore } from '#demo/sample-instance/storage/instance-storage.ts'

export interface LoadedApps {
  /** Returns false while a package is missing. */
  areComplete(): Promise<boolean>
  /** An app whose package is missing has no files. */
  read(): Promise<AppContent[]>
}

/** Packages may be loaded after the start, so they are looked up until all are there. Each is read once. */
export function openApps(apps: readonly ContractApp[], packages: PackageStore): LoadedApps {
  const filesByPackage = new Map<string, AppFile[]>()
  const wantedPackages = new Set(apps.flatMap(({ folder }) => folder ?? []))

  async function readFiles(sha256: string): Promise<AppFile[]> {
    const files = filesByPackage.get(sha256) ?? (await packages.read(sha256))
    if (files) filesByPackage.set(sha256, files)
    return files ?? []
  }

  return {
    async areComplete() {
      if (wantedPackages.size === 0) return true
      const loadedPackages = new Set(await packages.list())
      return [...wantedPackages].every((sha256) => loadedPackages.has(sha256))
    },
    async read() {
      const contents: AppContent[] = []
      for (const app of apps) contents.push({ ...app, files: app.folder === null ? [] : await readFiles(app.folder) })
      return contents
    },
  }
}
