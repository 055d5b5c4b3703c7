import { getLastEditor, type CurrentRow, getCurrentRow } from '#contract/verdict.ts'
import { overlayRow } from '#local/lists/overlay.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { mergeEntry, toValues } from '#request/writes/merge.ts'
import type { ConflictComparison } from '#request/call-results.ts'

/** Returns null if this write is not in conflict. Works offline, because all data came with the 412. */
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
  // The entry belongs to its user, on any device, so a change by the same user id is the user's own.
  return { authorName: author?.name ?? null, isOwn: author?.id === Number(forUser.split(':')[1]), changedAt }
}
