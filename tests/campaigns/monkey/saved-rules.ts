/** What was saved stays: its row appears, and a waiting write leaves the queue only with a response. */
import type { PageSnapshot, ToastSnapshot } from '#tests/campaigns/monkey/page-snapshot.ts'
import { findTrail } from '#tests/campaigns/monkey/trails.ts'

/** Numbers of snapshots. The number of answered writes may lag behind by a second. */
const limits = { row: 16, queued: 12, lag: 16 }
/** On this page the user may delete waiting writes. */
const outboxPath = '/saas/app/outbox'

const hasToast = ({ toasts }: PageSnapshot, id: string) => toasts.some((toast) => toast.id === id)

function isRowMissing(snapshot: PageSnapshot, { id, link }: ToastSnapshot): boolean {
  if (!link || snapshot.isBusy || !snapshot.completeList || !hasToast(snapshot, id)) return false
  return new URL(link.path, 'http://localhost').pathname === snapshot.path
    ? !snapshot.completeList.some((row) => row.includes(link.label))
    : false
}

/** A message that says that a write waits must be followed by its count in the header, or by the response. */
function isNothingQueued(snapshots: readonly PageSnapshot[], { id }: ToastSnapshot): boolean {
  const first = snapshots.findIndex((snapshot) => hasToast(snapshot, id))
  const toastSnapshots = snapshots.slice(first)
  const answeredBefore = snapshots[Math.max(0, first - limits.lag)]?.answeredCount
  const isAnswered = snapshots.at(-1)?.answeredCount !== answeredBefore
  const isLongEnough =
    first > 0 && toastSnapshots.length >= limits.queued && toastSnapshots.every((snapshot) => hasToast(snapshot, id))
  return isLongEnough && !isAnswered && toastSnapshots.every(({ unsentCount }) => unsentCount === 0)
}

export function findMissingRow(snapshots: readonly PageSnapshot[]): string | null {
  for (const toast of snapshots.at(-1)?.toasts ?? []) {
    const isQueued = toast.kind === 'note' && toast.link?.path === '/saas/app/outbox'
    if (toast.kind === 'done' && findTrail(snapshots, limits.row, (snapshot) => isRowMissing(snapshot, toast)))
      return `"${toast.text}", but the list has no row of ${toast.link?.label}`
    if (isQueued && isNothingQueued(snapshots, toast)) return `"${toast.text}", but nothing waits`
  }
  return null
}

export function findLostWrite(snapshots: readonly PageSnapshot[]): string | null {
  const endedVisit = snapshots.findLastIndex(({ path }) => !path.startsWith('/saas/app') || path === outboxPath)
  const visitSnapshots = snapshots.slice(endedVisit + 1)
  const later = visitSnapshots.slice(-limits.lag)
  const before = visitSnapshots.slice(0, -limits.lag).findLast(({ unsentCount }) => unsentCount !== null)
  const counts = later.flatMap(({ unsentCount, company }) =>
    unsentCount === null || company !== before?.company ? [] : [unsentCount],
  )
  if (!before || later.length < limits.lag || counts.length < limits.lag / 2) return null
  const lost = (before.unsentCount ?? 0) - Math.max(...counts)
  const answeredBefore = visitSnapshots.at(-3 * limits.lag)?.answeredCount ?? visitSnapshots[0]?.answeredCount ?? 0
  const answered = (visitSnapshots.at(-1)?.answeredCount ?? 0) - answeredBefore
  return lost > answered ? `${lost} waiting writes are gone, ${answered} were answered` : null
}
