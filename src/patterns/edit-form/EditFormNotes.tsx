import type { VersionedRow } from '#contract/endpoint.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'

interface EditFormNotesProps<Row extends VersionedRow, Name extends keyof Row> {
  form: {
    /** The row with its waiting write. Omit it if the page shows waiting writes elsewhere. */
    row?: OverlaidRow<Row> | null
    conflict: { previousRow: Row; currentRow: Row } | null
  }
  conflictTitle: string
  fields: readonly Name[]
  formatField: (name: Name, row: Row) => { label: string; value: string }
}

const isSame = (first: unknown, second: unknown) => JSON.stringify(first ?? null) === JSON.stringify(second ?? null)

/** Shows notes above an edit form: a waiting write of the record, and changes made by somebody else. */
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
