/** Which of the uploaded packages are to be published: those that add or upgrade, one version of each app (M157). */
import { compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { isPickable, missingAfter } from '#domain/catalogue/mapp.ts'
import { type Entry, type KnownApps, stateOf } from '#features/apps/upload/upload-entry.ts'

/** What its user said of a file, by its key. Of an app of which nothing was said the highest version is chosen. */
export type Said = Readonly<Record<string, boolean>>

export interface Choice {
  chosen: readonly Entry[]
  /** Why a file cannot be chosen; null: it can be, or is. */
  whyNot: (entry: Entry) => { why: 'existed' | 'published' } | { why: 'twice'; version: string } | null
}

const isCandidate = (entry: Entry, apps: KnownApps) => {
  const state = stateOf(entry, apps)
  return state !== null && isPickable(state)
}

export function choiceOf(entries: readonly Entry[], said: Said, apps: KnownApps): Choice {
  const chosen = new Map<string, Entry>()
  const candidates = entries.filter((entry) => isCandidate(entry, apps))
  for (const entry of candidates) if (said[entry.key] && entry.row) chosen.set(entry.row.code, entry)
  for (const { row } of candidates) {
    const same = candidates.filter((one) => one.row?.code === row?.code)
    if (!row || same.some(({ key }) => said[key] !== undefined)) continue
    const [best] = same.toSorted((a, b) => compareVersions(b.row?.version ?? '', a.row?.version ?? ''))
    if (best) chosen.set(row.code, best)
  }
  return {
    chosen: entries.filter(({ key, row }) => row !== null && chosen.get(row.code)?.key === key),
    whyNot(entry) {
      if (entry.isPublished) return { why: 'published' }
      if (!isCandidate(entry, apps)) return { why: 'existed' }
      const other = chosen.get(entry.row?.code ?? '')
      return other?.row && other.key !== entry.key ? { why: 'twice', version: other.row.version } : null
    },
  }
}

/** What the chosen, and all that they need, would lack once they are published. */
export function lacking(chosen: readonly Entry[], apps: KnownApps) {
  const published = [...apps].map(([code, { version, requires }]): PublishedApp => ({ code, version, requires }))
  return missingAfter(
    published,
    chosen.flatMap(({ row }) => (row ? [row] : [])),
  )
}
