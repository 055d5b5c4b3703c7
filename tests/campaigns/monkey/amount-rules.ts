/** The amount that a user confirms is the amount of the order: from the price in the wizard to the payment, the list and the result. */
import type { AmountsSnapshot, PageSnapshot } from '#tests/campaigns/monkey/page-snapshot.ts'
import { findTrail } from '#tests/campaigns/monkey/trails.ts'

/** Numbers of snapshots. A dialog and the list below it are read again after a change. */
const limits = { disagreement: 12, step: 60 }

/** Returns the last amount of an earlier step of the same visit, or null if another page was in between. */
function findEarlier(
  snapshots: readonly PageSnapshot[],
  latest: PageSnapshot,
  read: (amounts: AmountsSnapshot) => string | null,
  isCurrentStep: (amounts: AmountsSnapshot) => boolean,
): string | null {
  const lastEarlier = snapshots.findLastIndex(({ amounts }) => !isCurrentStep(amounts))
  const candidates = snapshots.slice(Math.max(0, lastEarlier - limits.step), lastEarlier + 1)
  const match = candidates.findLast(({ amounts }) => read(amounts) !== null)
  const isSameVisit = match?.documentId === latest.documentId && match.path === latest.path
  return match && isSameVisit ? read(match.amounts) : null
}

function findDisagreement({ amounts: { payable, due } }: PageSnapshot): string | null {
  const row = payable && due.find(({ code }) => code === payable.code)
  if (!row || row.amounts.length === 0 || row.amounts.includes(payable.amount)) return null
  return `${payable.amount} to confirm, ${row.amounts.join(' and ')} in the row of ${row.code}`
}

export function findWrongAmount(snapshots: readonly PageSnapshot[]): string | null {
  const latest = snapshots.at(-1)
  if (!latest) return null
  const { payable, charged } = latest.amounts
  const trail = findTrail(snapshots, limits.disagreement, (snapshot) => findDisagreement(snapshot) !== null)
  if (trail) return findDisagreement(trail)
  if (payable?.code === null) {
    const quoted = findEarlier(
      snapshots,
      latest,
      (amounts) => amounts.quoted,
      (amounts) => amounts.payable !== null,
    )
    if (quoted !== null && quoted !== payable.amount) return `${quoted} in the wizard, ${payable.amount} to pay`
  }
  if (charged === null) return null
  const confirmed = findEarlier(
    snapshots,
    latest,
    (amounts) => amounts.payable?.amount ?? null,
    (amounts) => amounts.charged !== null,
  )
  return confirmed !== null && confirmed !== charged ? `${confirmed} confirmed, ${charged} charged` : null
}
