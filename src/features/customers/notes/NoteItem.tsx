import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CustomerNoteRow, deleteCustomerNote, updateCustomerNote } from '#contract/staff/customer-notes.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useAction } from '#state/use-action.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { NoteForm } from '#features/customers/notes/NoteForm.tsx'
import { RelativeTime, useServerNow } from '#features/customers/RelativeTime.tsx'

export interface NoteItemProps {
  note: CustomerNoteRow
  /** Whether the note was deleted while its editor was open. */
  isGone: boolean
  /** The note as it was when the user opened the editor. A change is based on it. */
  edited: CustomerNoteRow | null
  companyId: number
  disabledReason: string | null
  onEdit: (note: CustomerNoteRow | null) => void
  onDirtyChange: (isDirty: boolean) => void
  /** Runs the action, after a question if there is unsaved text. */
  guardAction: (action: () => void) => void
  onChanged: () => Promise<void>
  onRemoved: () => void
}

type NoteAction = 'edit' | 'remove'

export function NoteItem({ note, edited, isGone, onEdit, ...props }: NoteItemProps) {
  const { t } = useTranslation('customers')
  const { caller } = useSignedInSession()
  const now = useServerNow()
  const [removed, setRemoved] = useState<CustomerNoteRow | null>(null)
  const [isRemovalOutdated, setRemovalOutdated] = useState(false)
  // The button of the action that was closed last gets the focus back.
  const [closedAction, setClosedAction] = useState<NoteAction | null>(null)
  const { disabledReason } = props
  const canChange = note.author_id === caller.userId || isProviderAdmin(caller)
  const isChanged = edited !== null && note.row_version > edited.row_version
  const subject = t('note.subject', { author: note.author_name, time: note.create_time })
  function open(action: NoteAction) {
    setRemovalOutdated(false)
    if (action === 'edit') onEdit(note)
    else setRemoved(note)
  }
  function close(action: NoteAction) {
    setClosedAction(action)
    if (action === 'edit') onEdit(null)
    else setRemoved(null)
    // The item of a deleted note closes with its editor.
    if (isGone) props.onRemoved()
  }
  const renderAction = (action: NoteAction) => (
    <Button
      kind="plain"
      icon={action}
      autoFocus={closedAction === action}
      disabledReason={disabledReason}
      onClick={() => open(action)}
    >
      {t(`note.${action}`)} <span className="sr-only">{subject}</span>
    </Button>
  )
  return (
    <li className="card customer-note">
      <p className="customer-note-head">
        <bdi>{note.author_name}</bdi> <RelativeTime time={note.create_time} now={now} />
        {note.edit_time && <BusinessTime time={note.edit_time}>{t('note.edited')}</BusinessTime>}
      </p>
      {isGone && <p role="alert">{t('note.gone')}</p>}
      {(edited === null || isChanged) && <p className="customer-note-text">{note.text}</p>}
      {edited && <NoteEditor {...props} {...{ edited, onEdit }} onClose={() => close('edit')} />}
      {removed && (
        <NoteRemoval
          {...props}
          note={removed}
          onClose={() => close('remove')}
          onOutdated={() => {
            setRemovalOutdated(true)
            close('remove')
          }}
        />
      )}
      {isRemovalOutdated && <p role="alert">{t('note.changed')}</p>}
      {canChange && !edited && !removed && (
        <div className="customer-note-acts">
          {renderAction('edit')}
          {renderAction('remove')}
        </div>
      )}
    </li>
  )
}

type NoteEditorProps = Omit<NoteItemProps, 'note' | 'isGone' | 'edited' | 'onRemoved'> & {
  edited: CustomerNoteRow
  onClose: () => void
}

function NoteEditor({ edited, companyId, disabledReason, onEdit, onClose, ...props }: NoteEditorProps) {
  const { t } = useTranslation('customers')
  const update = useAction(updateCustomerNote)
  async function save(text: string) {
    const params = { companyId, id: edited.id }
    const result = await update.run({ params, body: { text, row_version: edited.row_version } })
    if (result.kind === 'fresh') onEdit(result.output)
    const isOutdated = result.kind === 'problem' && isNoteOutdated(result.problem)
    if (result.kind !== 'problem' || isOutdated) await props.onChanged()
    return result.kind === 'problem' ? result.problem : null
  }
  return (
    <NoteForm
      label={t('note.edit')}
      submitLabel={t('note.save')}
      initialText={edited.text}
      shouldFocus
      disabledReason={disabledReason}
      onDirtyChange={props.onDirtyChange}
      onCancel={(isDirty) => (isDirty ? props.guardAction(onClose) : onClose())}
      onSubmit={save}
      onSaved={onClose}
    />
  )
}

type NoteRemovalProps = Pick<NoteItemProps, 'note' | 'companyId' | 'onChanged' | 'onRemoved'> & {
  onClose: () => void
  onOutdated: () => void
}

function NoteRemoval({ note, companyId, onChanged, onRemoved, onClose, onOutdated }: NoteRemovalProps) {
  const { t } = useTranslation('customers')
  const { run, isBusy, problem } = useAction(deleteCustomerNote)
  async function remove() {
    const params = { companyId, id: note.id }
    const result = await run({ params, query: { row_version: note.row_version } })
    const isRemoved = result.kind !== 'problem' || result.problem.code === 'NOT_FOUND'
    if (isRemoved || isNoteOutdated(result.problem)) await onChanged()
    if (isRemoved) onRemoved()
    else if (isNoteOutdated(result.problem)) onOutdated()
  }
  return (
    <>
      {problem && !isNoteOutdated(problem) && <p role="alert">{formatProblem(problem)}</p>}
      <div className="customer-note-acts" role="group" aria-label={t('note.confirm')}>
        <span>{t('note.confirm')}</span>
        <Button kind="danger" isBusy={isBusy} onClick={() => void remove()}>
          {t('note.remove')}
        </Button>
        <Button autoFocus onClick={onClose}>
          {t('note.keep')}
        </Button>
      </div>
    </>
  )
}

const isNoteOutdated = ({ code }: { code: string }) => code === 'VERSION_CONFLICT' || code === 'NOT_FOUND'
