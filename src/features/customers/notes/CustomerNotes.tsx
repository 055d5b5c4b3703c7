import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CustomerNoteRow, createCustomerNote, listCustomerNotes } from '#contract/staff/customer-notes.ts'
import { type ExportColumn } from '#patterns/list-export/export-columns.ts'
import { toExportTools, useListExport } from '#patterns/list-export/useListExport.tsx'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useRecord } from '#state/use-record.ts'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { LeaveQuestion, useNavigationGuard } from '#ui/navigation-guard/navigation-guard.tsx'
import { Page } from '#ui/page/Page.tsx'
import type { CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { NoteForm } from '#features/customers/notes/NoteForm.tsx'
import { NoteItem } from '#features/customers/notes/NoteItem.tsx'

const newNoteId = 0

/** Notes of the provider's staff about a customer, which no customer can read. */
export function CustomerNotes({ customer, frame }: CustomerTabProps) {
  const { t } = useTranslation('customers')
  const params = { companyId: customer.id }
  const { record: notes, asOf, problem, refetch } = useRecord(listCustomerNotes, { params })
  const { run } = useAction(createCustomerNote)
  const disabledReason = useUnsendableReason(t('note.offline'))
  const [editedNotes, setEditedNotes] = useState<readonly CustomerNoteRow[]>([])
  const { changeDirty, guard, lastFieldRef } = useUnsavedNotes()
  const newFieldRef = useRef<HTMLTextAreaElement>(null)
  const changeEdited = (id: number, edited: CustomerNoteRow | null) =>
    setEditedNotes((rows) => [...rows.filter((row) => row.id !== id), ...(edited ? [edited] : [])])
  const listedNotes = notes && withEditedNotes(notes, editedNotes)
  const { exportButton, dialog } = useNoteExport(customer.code, notes ?? [], asOf)
  return (
    <Page title={frame.title} crumbs={frame.crumbs} tools={toExportTools(exportButton)}>
      {frame.tabs}
      <div
        className="customer-notes"
        onBlur={({ target }) => {
          if (target instanceof HTMLTextAreaElement) lastFieldRef.current = target
        }}
      >
        <p className="customer-muted">{t('note.lead')}</p>
        {guard.isLeaveQuestionOpen && (
          <LeaveQuestion
            onLeave={guard.leave}
            onStay={() => {
              guard.stay()
              lastFieldRef.current?.focus()
            }}
          />
        )}
        <NoteForm
          label={t('note.label')}
          submitLabel={t('note.add')}
          fieldRef={newFieldRef}
          disabledReason={disabledReason}
          onDirtyChange={(isDirty) => changeDirty(newNoteId, isDirty)}
          onSubmit={async (text) => {
            const result = await run({ params, body: { text } })
            if (result.kind !== 'problem') await refetch()
            return result.kind === 'problem' ? result.problem : null
          }}
        />
        {listedNotes ? (
          listedNotes.length === 0 ? (
            <p className="customer-none">{t('note.none')}</p>
          ) : (
            <ol className="customer-note-list">
              {listedNotes.map((note) => (
                <NoteItem
                  key={note.id}
                  note={note}
                  isGone={!notes.some(({ id }) => id === note.id)}
                  edited={editedNotes.find(({ id }) => id === note.id) ?? null}
                  companyId={customer.id}
                  disabledReason={disabledReason}
                  onEdit={(edited) => changeEdited(note.id, edited)}
                  onDirtyChange={(isDirty) => changeDirty(note.id, isDirty)}
                  guardAction={guard.guardAction}
                  onChanged={refetch}
                  onRemoved={() => newFieldRef.current?.focus()}
                />
              ))}
            </ol>
          )
        ) : (
          <LoadPlaceholder
            problem={problem}
            offlineTitle={t('note.notHere')}
            offlineText={t('notHereText')}
            onRetry={() => void refetch()}
          />
        )}
      </div>
      {dialog}
    </Page>
  )
}

/** Offers the saved notes as a file, newest first. Texts that are being typed are not in it. */
function useNoteExport(companyCode: string, notes: readonly CustomerNoteRow[], asOf: number | null) {
  const { t } = useTranslation('customers')
  return useListExport(
    notes.length === 0
      ? null
      : {
          name: t('tab.notes'),
          companyCode,
          source: { rows: notes, asOf, isComplete: true },
          isFiltered: false,
          buildColumns: (): ExportColumn<CustomerNoteRow>[] => [
            [t('note.column.written'), ({ create_time }) => create_time],
            [t('note.column.author'), ({ author_name }) => author_name],
            [t('note.column.edited'), ({ edit_time }) => edit_time ?? ''],
            [t('note.column.text'), ({ text }) => text],
          ],
        },
  )
}

/** Adds notes that were deleted while their editor was open, so that the typed text is not lost. */
const withEditedNotes = (notes: readonly CustomerNoteRow[], editedNotes: readonly CustomerNoteRow[]) => {
  const goneNotes = editedNotes.filter((edited) => !notes.some(({ id }) => id === edited.id))
  return [...notes, ...goneNotes].toSorted((a, b) => b.id - a.id)
}

/** One guard for all forms of the page, because each guard replaces the functions of the router. */
function useUnsavedNotes() {
  const [dirtyIds, setDirtyIds] = useState<readonly number[]>([])
  const lastFieldRef = useRef<HTMLTextAreaElement>(null)
  const guard = useNavigationGuard(dirtyIds.length > 0)
  const changeDirty = (id: number, isDirty: boolean) =>
    setDirtyIds((ids) => {
      if (ids.includes(id) === isDirty) return ids
      return isDirty ? [...ids, id] : ids.filter((dirtyId) => dirtyId !== id)
    })
  return { changeDirty, guard, lastFieldRef }
}
