import type { VersionedRow } from '#contract/endpoint.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'

interface EditFormNotesProps<Row extends VersionedRow, Name extends keyof Row> {
  form: {
    /** Left out: the page says elsewhere that a write waits. */
    row?: OverlaidRow<Row> | null
    conflict: { previousRow: Row; currentRow: Row } | null
  }
  conflictTitle: string
  /** Fields in which somebody else's change is listed. */
  fields: readonly Name[]
  formatField: (name: Name, row: Row) => { label: string; value: string }
}

const isSame = (first: unknown, second: unknown) => JSON.stringify(first ?? null) === JSON.stringify(second ?? null)

/** At the head of an edit form: that a write of the record waits, and what somebody else has changed. */
export function EditFormNotes<Row extends VersionedRow, Name extends keyof Row>({
  form: { row, conflict },
  conflictTitle,
  fields,
  formatField,
}: EditFormNotesProps<Row, Name>) {
  return (
    <>
      {row?.waiting && (
        <p>
          <PendingMark {...row.waiting} />
        </p>
      )}
      {conflict && (
        <ConflictNote
          title={conflictTitle}
          differences={fields
            .filter((name) => !isSame(conflict.previousRow[name], conflict.currentRow[name]))
            .map((name) => formatField(name, conflict.currentRow))}
        />
      )}
    </>
  )
}
