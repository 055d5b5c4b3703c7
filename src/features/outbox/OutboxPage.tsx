import '#features/outbox/style.css'
import { useState } from 'react'
import { readDataLoss } from '#local/outbox/data-loss.ts'
import { countLocked, type EntryView } from '#local/outbox/read-entries.ts'
import { hasSessionExpired, readSession, type Session } from '#local/session/session.ts'
import type { OutboxActions, CallResult } from '#request/call-results.ts'
import { useDispatch, useSelector } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { useNow } from '#features/outbox/use-now.ts'
import { ConflictDialog } from '#features/outbox/ConflictDialog.tsx'
import { DiscardDialog } from '#features/outbox/DiscardDialog.tsx'
import { type OutboxEntryDialog, OutboxEntry } from '#features/outbox/OutboxEntry.tsx'
import { DataLossNote } from '#features/outbox/DataLossNote.tsx'
import { EditEntry } from '#features/outbox/EditEntry.tsx'
import { Receipts } from '#features/outbox/Receipts.tsx'
import { UnknownCalls } from '#features/outbox/UnknownCalls.tsx'
import { saveText } from '#features/outbox/export-text.ts'
import { selectIsSending, sendNow } from '#features/outbox/send-slice.ts'
import type { EditForms } from '#features/outbox/edit-forms.ts'
import { type OutboxItem, readWaitingItems, type WaitingItems } from '#features/outbox/read-items.ts'

export interface OutboxPageProps {
  actions: OutboxActions
  editForms: EditForms
  /** Mends and waits a moment for what the server says. */
  send: (intent: string, input: EntryView['input']) => Promise<CallResult<unknown>>
}

const pageSize = 25

const isExpired = (session: Session | null) => session !== null && hasSessionExpired(session, Date.now())

/** What this device has recorded and the server has not accepted yet, what became of the rest, and what can be done. */
export function OutboxPage({ actions, editForms, send }: OutboxPageProps) {
  const { t } = useTranslation('outbox')
  const now = useNow()
  const [visibleCounts, setVisibleCounts] = useState({ yours: pageSize, others: pageSize })
  const waitingItems = useLiveQuery(() => readWaitingItems(visibleCounts), [visibleCounts])
  // What is gone was not sent: then nothing here may say that all of it was.
  const hasLoss = useLiveQuery(async () => (await readDataLoss()) !== null, [])
  const lockedCount = useLiveQuery(() => countLocked(), [])
  // Asked again each time that the page looks at the clock.
  const isSessionExpired = useLiveQuery(async () => isExpired(await readSession()), [now])
  const [openDialog, setOpenDialog] = useState<{ dialog: OutboxEntryDialog; item: OutboxItem } | null>(null)
  const close = () => setOpenDialog(null)
  const groupProps = {
    actions,
    now,
    visibleItems: waitingItems ? [...waitingItems.needsUserItems, ...waitingItems.automaticItems] : [],
    onOpen: setOpenDialog,
  }
  const showMore = (group: keyof typeof visibleCounts) =>
    setVisibleCounts({ ...visibleCounts, [group]: visibleCounts[group] + pageSize })
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
      {lockedCount !== undefined && lockedCount > 0 && (
        <section className="card">
          <EmptyState icon="lock" title={t('locked', { count: lockedCount })}>
            <p>{t('lockedText')}</p>
          </EmptyState>
        </section>
      )}
      {waitingItems &&
        hasLoss !== undefined &&
        lockedCount === 0 &&
        waitingItems.needsUserCount + waitingItems.automaticCount === 0 && (
          <section className="card">
            <EmptyState icon={hasLoss ? 'outbox' : 'check'} title={t(hasLoss ? 'emptyLost' : 'empty')}>
              <p>{t('emptyText')}</p>
            </EmptyState>
          </section>
        )}
      {waitingItems && (
        <>
          <EntryGroup
            {...groupProps}
            name="needsYou"
            items={waitingItems.needsUserItems}
            count={waitingItems.needsUserCount}
            onMore={() => showMore('yours')}
          />
          <UnknownCalls now={now} />
          <EntryGroup
            {...groupProps}
            name="byItself"
            items={waitingItems.automaticItems}
            count={waitingItems.automaticCount}
            onMore={() => showMore('others')}
          />
        </>
      )}
      <Receipts />
      {openDialog?.dialog.kind === 'edit' && (
        <EditEntry item={openDialog.item} editForms={editForms} send={send} onClose={close} />
      )}
      {openDialog?.dialog.kind === 'compare' && (
        <ConflictDialog
          item={openDialog.item}
          comparison={openDialog.dialog.comparison}
          actions={actions}
          onClose={close}
        />
      )}
      {openDialog?.dialog.kind === 'drop' && <DiscardDialog item={openDialog.item} actions={actions} onClose={close} />}
    </Page>
  )
}

interface EntryGroupProps {
  name: 'needsYou' | 'byItself'
  items: OutboxItem[]
  count: number
  visibleItems: readonly OutboxItem[]
  now: number
  actions: OutboxActions
  onOpen: (openDialog: { dialog: OutboxEntryDialog; item: OutboxItem }) => void
  onMore: () => void
}

function EntryGroup({ name, items, count, onOpen, onMore, ...entryProps }: EntryGroupProps) {
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

function OutboxButtons({
  actions,
  waitingItems: { canSend, automaticItems, needsUserCount, automaticCount },
}: {
  actions: OutboxActions
  waitingItems: WaitingItems
}) {
  const { t } = useTranslation('outbox')
  const dispatch = useDispatch()
  const isBusy = useSelector(selectIsSending)
  const sendAll = async () => {
    await dispatch(sendNow(actions))
    const [firstItem] = automaticItems
    const waitReason = firstItem && (await actions.getWaitReason(firstItem.entry.intent))
    if (waitReason?.kind === 'line') showToast({ kind: 'note', text: t('toast.noLine') })
    if (waitReason?.kind === 'sign in') showToast({ kind: 'note', text: t('why.sign in') })
  }
  const exportEntries = async () => {
    const file = saveText(await actions.exportAll(), 'waiting-changes', Date.now())
    showToast({ kind: 'done', text: t('toast.exported', { file }) })
  }
  if (needsUserCount + automaticCount === 0) return null
  return (
    <>
      {canSend && (
        <Button icon="refresh" isBusy={isBusy} onClick={() => void sendAll()}>
          {t('act.sendNow')}
        </Button>
      )}
      <Button icon="install" onClick={() => void exportEntries()}>
        {t('act.export')}
      </Button>
    </>
  )
}
