import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  type CustomerNoteRow,
  createCustomerNote,
  deleteCustomerNote,
  listCustomerNotes,
  updateCustomerNote,
} from '#contract/staff/customer-notes.ts'
import type { Problem } from '#contract/problem.ts'
import { isProviderAdmin } from '#domain/access.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'
import { useAction } from '#state/use-action.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { LoadPlaceholder } from '#ui/list/LoadPlaceholder.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { Page } from '#ui/page/Page.tsx'
import type { CustomerTabProps } from '#features/customers/detail/CustomerDetails.tsx'
import { NoteForm } from '#features/customers/notes/NoteForm.tsx'
import { RelativeTime, useServerNow } from '#features/customers/RelativeTime.tsx'

/** Notes of the provider's staff about a customer, which no customer can read. */
export function CustomerNotes({ customer, frame }: CustomerTabProps) {
  const { t } = useTranslation('customers')
  const params = { companyId: customer.id }
  const { record: notes, problem, refetch } = useRecord(listCustomerNotes, { params })
  const { run } = useAction(createCustomerNote)
  const disabledReason = useUnsendableReason(t('note.offline'))
  return (
    <Page title={frame.title} crumbs={frame.crumbs}>
      {frame.tabs}
      <div className="customer-notes">
        <p className="customer-muted">{t('note.lead')}</p>
        <NoteForm
          label={t('note.label')}
          submitLabel={t('note.add')}
          disabledReason={disabledReason}
          onSubmit={async (text) => {
            const result = await run({ params, body: { text } })
            if (result.kind !== 'problem') await refetch()
            return result.kind === 'problem' ? result.problem : null
          }}
        />
        {notes ? (
          notes.length === 0 ? (
            <p className="customer-none">{t('note.none')}</p>
          ) : (
            <ol className="customer-note-list">
              {notes.map((note) => (
                <NoteItem key={note.id} {...{ note, disabledReason }} companyId={customer.id} onChanged={refetch} />
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
    </Page>
  )
}

interface NoteItemProps {
  note: CustomerNoteRow
  companyId: number
  disabledReason: string | null
  onChanged: () => Promise<void>
}

function NoteItem({ note, companyId, disabledReason, onChanged }: NoteItemProps) {
  const { t } = useTranslation('customers')
  const { caller } = useSignedInSession()
  const now = useServerNow()
  const [mode, setMode] = useState<'view' | 'edit' | 'remove'>('view')
  const [problem, setProblem] = useState<Problem | null>(null)
  const update = useAction(updateCustomerNote)
  const removal = useAction(deleteCustomerNote)
  const params = { companyId, id: note.id }
  const canChange = note.author_id === caller.userId || isProviderAdmin(caller)
  async function save(text: string) {
    const result = await update.run({ params, body: { text, row_version: note.row_version } })
    if (result.kind === 'problem') return result.problem
    setMode('view')
    await onChanged()
    return null
  }
  async function remove() {
    const result = await removal.run({ params })
    if (result.kind === 'problem') return setProblem(result.problem)
    await onChanged()
  }
  return (
    <li className="card customer-note">
      <p className="customer-note-head">
        <bdi>{note.author_name}</bdi> <RelativeTime time={note.create_time} now={now} />
        {note.edit_time && <span title={note.edit_time}>{t('note.edited')}</span>}
      </p>
      {mode === 'edit' ? (
        <NoteForm
          label={t('note.edit')}
          submitLabel={t('note.save')}
          initialText={note.text}
          disabledReason={disabledReason}
          onCancel={() => setMode('view')}
          onSubmit={save}
        />
      ) : (
        <p className="customer-note-text">{note.text}</p>
      )}
      {problem && <p role="alert">{formatProblem(problem)}</p>}
      {canChange && mode === 'view' && (
        <div className="customer-note-acts">
          <Button kind="plain" icon="edit" disabledReason={disabledReason} onClick={() => setMode('edit')}>
            {t('note.edit')}
          </Button>
          <Button kind="plain" icon="remove" disabledReason={disabledReason} onClick={() => setMode('remove')}>
            {t('note.remove')}
          </Button>
        </div>
      )}
      {mode === 'remove' && (
        <div className="customer-note-acts" role="group" aria-label={t('note.confirm')}>
          <span>{t('note.confirm')}</span>
          <Button kind="danger" isBusy={removal.isBusy} onClick={() => void remove()}>
            {t('note.remove')}
          </Button>
          <Button onClick={() => setMode('view')}>{t('note.keep')}</Button>
        </div>
      )}
    </li>
  )
}
