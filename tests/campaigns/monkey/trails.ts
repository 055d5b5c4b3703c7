import type { PageSnapshot } from '#tests/campaigns/monkey/page-snapshot.ts'

/**
 * Returns the latest snapshot if each of the latest `count` snapshots is of the same page and has a property. Returns null otherwise.
 */
export function findTrail(
  snapshots: readonly PageSnapshot[],
  count: number,
  hasProperty: (snapshot: PageSnapshot) => boolean,
): PageSnapshot | null {
  const trail = snapshots.slice(-count)
  const [first] = trail
  const latest = trail.at(-1)
  if (!first || !latest || trail.length < count) return null
  const isSamePage = first.documentId === latest.documentId && first.path === latest.path
  return isSamePage && trail.every(hasProperty) ? latest : null
}
