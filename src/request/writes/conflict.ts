/** What a person needs to decide about a write: the three sides of a conflict, and why one that could go does not. */
import { getLastEditor, type CurrentRow, getCurrentRow } from '#contract/current-row.ts'
import { overlayRow } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { mergeEntry, toValues } from '#request/writes/merge.ts'
import type { ConflictComparison } from '#request/call-results.ts'

/** Null: this write is in no conflict. All of it came with the 412, so it can be compared without a line as well. */
export function compareConflict(entry: OutboxEntry): ConflictComparison | null {
  if (entry.state !== 'conflict') return null
  const currentRow = getCurrentRow(entry.problem)
  const { base: baseValues } = entry
  if (!currentRow)
    return {
      baseValues,
      ownValues: getOwnValues(entry),
      serverValues: null,
      fields: [],
      authorName: null,
      isOwn: false,
      changedAt: null,
    }
  const ownValues = entry.action === 'delete' ? null : getChanges(entry, currentRow)
  const mergeResult = mergeEntry(entry, currentRow)
  return {
    baseValues,
    ownValues,
    serverValues: toValues(currentRow),
    fields: mergeResult.kind === 'overlap' ? mergeResult.fields : [],
    ...readAuthor(entry, currentRow),
  }
}

const getOwnValues = ({ input, action }: OutboxEntry) =>
  action === 'delete' ? null : { ...(input.body as Record<string, unknown> | undefined) }

function getChanges(entry: OutboxEntry, currentRow: CurrentRow): Record<string, unknown> {
  const fields = Object.keys(getOwnValues(entry) ?? {})
  const overlaidValues = toValues(overlayRow(currentRow, entry, 0) ?? currentRow)
  return Object.fromEntries(fields.map((field) => [field, overlaidValues[field]]))
}

function readAuthor(
  { forUser, problem }: OutboxEntry,
  currentRow: CurrentRow,
): Pick<ConflictComparison, 'authorName' | 'isOwn' | 'changedAt'> {
  const { update_time: updateTime } = toValues(currentRow)
  const author = getLastEditor(problem)
  const changedAt = typeof updateTime === 'string' ? updateTime : null
  // The entry is its user's own, whichever of their devices did the other change.
  return { authorName: author?.name ?? null, isOwn: author?.id === Number(forUser.split(':')[1]), changedAt }
}
