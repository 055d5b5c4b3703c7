/** What a person needs to decide about a write: the three sides of a conflict, and why one that could go does not. */
import { changedBy, type Current, currentIn } from '#contract/conflict.ts'
import { overlaid } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { merge, valuesOf } from '#request/writes/merge.ts'
import type { Comparison } from '#request/results.ts'

/** Null: this write is in no conflict. All of it came with the 412, so it can be compared without a line as well. */
export function comparisonOf(entry: OutboxEntry): Comparison | null {
  if (entry.state !== 'conflict') return null
  const current = currentIn(entry.problem)
  const { base } = entry
  if (!current) return { base, mine: wishOf(entry), theirs: null, fields: [], who: null, isOwn: false, when: null }
  const mine = entry.action === 'delete' ? null : changesOver(entry, current)
  const merged = merge(entry, current)
  return {
    base,
    mine,
    theirs: valuesOf(current),
    fields: merged.kind === 'overlap' ? merged.fields : [],
    ...authorOf(entry, current),
  }
}

const wishOf = ({ input: asked, action }: OutboxEntry) =>
  action === 'delete' ? null : { ...(asked.body as Record<string, unknown> | undefined) }

function changesOver(entry: OutboxEntry, current: Current): Record<string, unknown> {
  const asked = Object.keys(wishOf(entry) ?? {})
  const after = valuesOf(overlaid(current, entry, 0) ?? current)
  return Object.fromEntries(asked.map((field) => [field, after[field]]))
}

function authorOf({ forUser, problem }: OutboxEntry, current: Current): Pick<Comparison, 'who' | 'isOwn' | 'when'> {
  const { update_time: time } = valuesOf(current)
  const by = changedBy(problem)
  const when = typeof time === 'string' ? time : null
  // The entry is its user's own, whichever of their devices did the other change.
  return { who: by?.name ?? null, isOwn: by?.id === Number(forUser.split(':')[1]), when }
}
