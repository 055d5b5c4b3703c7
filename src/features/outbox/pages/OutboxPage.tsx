import '#features/outbox/style.css'
import { useState } from 'react'
import { readDataLoss } from '#local/outbox/data-loss.ts'
import { countLocked, type EntryView } from '#local/outbox/read-entries.ts'
import { hasSessionExpired, readSession, type Session } from '#local/session/session.ts'
import type { OutboxActions, CallResult } from '#request/call-results.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { useNow } from '#features/outbox/use-now.ts'
import { ConflictDialog } from '#features/outbox/ConflictDialog.tsx'
import { DiscardDialog } from '#features/outbox/DiscardDialog.tsx'
import type { OutboxEntryDialog } from '#features/outbox/EntryActions.tsx'
import { OutboxEntry } from '#features/outbox/OutboxEntry.tsx'
import { DataLossNote } from '#features/outbox/DataLossNote.tsx'
import { EditEntry } from '#features/outbox/edit/EditEntry.tsx'
import { Receipts } from '#features/outbox/Receipts.tsx'
import { UnknownCalls } from '#features/outbox/UnknownCalls.tsx'
import { useDeviceAction } from '#features/outbox/useDeviceAction.ts'
import { useOutboxToasts } from '#features/outbox/useOutboxToasts.ts'
import type { EditForms } from '#features/outbox/edit/edit-forms.ts'
import {
  type EntryGroupItems,
  type EntryGroupName,
  type OutboxItem,
  readWaitingItems,
  type WaitingItems,
} from '#features/outbox/read-items.ts'

interface OutboxPageProps {
  actions: OutboxActions
  editForms: EditForms
  send: (intent: string, input: EntryView['input']) => Promise<CallResult<unknown>>
}

const pageSize = 25

const isExpired = (session: Session | null) => session !== null && hasSessionExpired(session, Date.now())

export function OutboxPage({ actions, editForms, send }: OutboxPageProps) {
  const { t } = useTranslation('outbox')
  const now = useNow()
  const [visibleCounts, setVisibleCounts] = useState({ needsYou: pageSize, byItself: pageSize })
  const waitingItems = useLiveQuery(() => readWaitingItems(visibleCounts), [visibleCounts])
  // The session is read again whenever `now` changes, because it may have expired.
  const isSessionExpired = useLiveQuery(async () => isExpired(await readSession()), [now])
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const renderGroup = (name: EntryGroupName, { needsYou, byItself }: WaitingItems) => (
    <EntryGroup
      name={name}
      group={{ needsYou, byItself }[name]}
      visibleItems={[...needsYou.items, ...byItself.items]}
      now={now}
      actions={actions}
      onOpen={setOpenDialog}
      onMore={() => setVisibleCounts({ ...visibleCounts, [name]: visibleCounts[name] + pageSize })}
    />
  )
  return (
    <Page
      title={t('title')}
      intro={t(isSessionExpired ? 'leadLogin' : 'lead')}
      width="narrow"
      action={waitingItems && <OutboxButtons actions={actions} waitingItems={waitingItems} />}
    >
      <DataLossNote actions={actions} />
      {!waitingItems && (
        <section className="card">
          <Skeleton />
        </section>
      )}
      <OutboxNotes isEmpty={waitingItems !== undefined && countItems(waitingItems) === 0} />
      {waitingItems && (
        <>
          {renderGroup('needsYou', waitingItems)}
          <UnknownCalls now={now} />
          {renderGroup('byItself', waitingItems)}
        </>
      )}
      <Receipts />
      {openDialog && (
        <EntryDialog
          {...openDialog}
          actions={actions}
          editForms={editForms}
          send={send}
          onClose={() => setOpenDialog(null)}
        />
      )}
    </Page>
  )
}

const countItems = ({ needsYou, byItself }: WaitingItems) => needsYou.count + byItself.count

function OutboxNotes({ isEmpty }: { isEmpty: boolean }) {
  const { t } = useTranslation('outbox')
  // Lost entries were not sent, so the page must not claim that everything was sent.
  const hasLoss = useLiveQuery(async () => (await readDataLoss()) !== null, [])
  const lockedCount = useLiveQuery(() => countLocked(), [])
  if (lockedCount === undefined) return null
  if (lockedCount > 0)
    return (
      <section className="card">
        <EmptyState icon="lock" title={t('locked', { count: lockedCount })}>
          <p>{t('lockedText')}</p>
        </EmptyState>
      </section>
    )
  if (!isEmpty || hasLoss === undefined) return null
  return (
    <section className="card">
      <EmptyState icon={hasLoss ? 'outbox' : 'check'} title={t(hasLoss ? 'emptyLost' : 'empty')}>
        <p>{t('emptyText')}</p>
      </EmptyState>
    </section>
  )
}

interface OpenDialog {
  dialog: OutboxEntryDialog
  item: OutboxItem
}

function EntryDialog({
  dialog,
  item,
  actions,
  editForms,
  send,
  onClose,
}: OpenDialog & OutboxPageProps & { onClose: () => void }) {
  if (dialog.kind === 'edit') return <EditEntry item={item} editForms={editForms} send={send} onClose={onClose} />
  if (dialog.kind === 'drop') return <DiscardDialog item={item} actions={actions} onClose={onClose} />
  return <ConflictDialog item={item} comparison={dialog.comparison} actions={actions} onClose={onClose} />
}

interface EntryGroupProps {
  name: EntryGroupName
  group: EntryGroupItems
  visibleItems: readonly OutboxItem[]
  now: number
  actions: OutboxActions
  onOpen: (openDialog: OpenDialog) => void
  onMore: () => void
}

function EntryGroup({ name, group: { items, count }, onOpen, onMore, ...entryProps }: EntryGroupProps) {
  const { t } = useTranslation('outbox')
  if (count === 0) return null
  return (
    <section className={`card ${name === 'needsYou' ? 'needs-you' : ''}`} aria-labelledby={`group-${name}`}>
      <h2 id={`group-${name}`}>
        {t(name)} <span className="write-count">{count}</span>
      </h2>
      <ol className="writes">
        {items.map((item) => (
          <OutboxEntry
            key={item.entry.intent}
            item={item}
            {...entryProps}
            onOpen={(dialog) => onOpen({ dialog, item })}
          />
        ))}
      </ol>
      {count > items.length && (
        <div>
          <Button onClick={onMore}>{t('more', { count: Math.min(pageSize, count - items.length) })}</Button>
        </div>
      )}
    </section>
  )
}

function OutboxButtons({ actions, waitingItems }: { actions: OutboxActions; waitingItems: WaitingItems }) {
  const { t } = useTranslation('outbox')
  const { showWaitReason, saveExport } = useOutboxToasts()
  const { isBusy, run } = useDeviceAction()
  const sendAll = async () => {
    await actions.sendNow()
    const [firstItem] = waitingItems.byItself.items
    if (firstItem) showWaitReason(await actions.getWaitReason(firstItem.entry.intent))
  }
  if (countItems(waitingItems) === 0) return null
  return (
    <>
      {waitingItems.canSend && (
        <Button icon="refresh" isBusy={isBusy} onClick={() => void run(sendAll)}>
          {t('act.sendNow')}
        </Button>
      )}
      <Button
        icon="install"
        onClick={() => void actions.exportAll().then((text) => saveExport(text, 'waiting-changes'))}
      >
        {t('act.export')}
      </Button>
    </>
  )
}
