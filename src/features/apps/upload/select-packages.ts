/** Selects the uploaded packages to publish: those that add or upgrade an app, one version per app (M157). */
import { compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { isPublishable, findFaultsAfterUpload } from '#domain/catalogue/mapp.ts'
import { type UploadEntry, type KnownVersions, getPackageState } from '#features/apps/upload/upload-entry.ts'

/**
 * The user's choices by entry key: true if selected. If the user has not chosen among an app's versions, the highest version is selected.
 */
export type UserChoices = Readonly<Record<string, boolean>>

export interface PackageSelection {
  selectedEntries: readonly UploadEntry[]
  /** Returns why a package cannot be selected. Null if it is selected or can be. */
  getBlockedReason: (
    entry: UploadEntry,
  ) => { reason: 'existed' | 'published' } | { reason: 'twice'; version: string } | null
}

const canPublish = (entry: UploadEntry, apps: KnownVersions) => {
  const state = getPackageState(entry, apps)
  return state !== null && isPublishable(state)
}

export function selectPackages(
  entries: readonly UploadEntry[],
  userChoices: UserChoices,
  apps: KnownVersions,
): PackageSelection {
  const selectedByCode = new Map<string, UploadEntry>()
  const candidates = entries.filter((entry) => canPublish(entry, apps))
  for (const entry of candidates) if (userChoices[entry.key] && entry.row) selectedByCode.set(entry.row.code, entry)
  for (const { row } of candidates) {
    const versions = candidates.filter((candidate) => candidate.row?.code === row?.code)
    if (!row || versions.some(({ key }) => userChoices[key] !== undefined)) continue
    const [latestEntry] = versions.toSorted((a, b) => compareVersions(b.row?.version ?? '', a.row?.version ?? ''))
    if (latestEntry) selectedByCode.set(row.code, latestEntry)
  }
  return {
    selectedEntries: entries.filter(({ key, row }) => row !== null && selectedByCode.get(row.code)?.key === key),
    getBlockedReason(entry) {
      if (entry.isPublished) return { reason: 'published' }
      if (!canPublish(entry, apps)) return { reason: 'existed' }
      const other = selectedByCode.get(entry.row?.code ?? '')
      return other?.row && other.key !== entry.key ? { reason: 'twice', version: other.row.version } : null
    },
  }
}

export function findMissingRequirements(selectedEntries: readonly UploadEntry[], apps: KnownVersions) {
  const publishedApps = [...apps].map(([code, { version, requires }]): PublishedApp => ({ code, version, requires }))
  return findFaultsAfterUpload(
    publishedApps,
    selectedEntries.flatMap(({ row }) => (row ? [row] : [])),
  )
}
