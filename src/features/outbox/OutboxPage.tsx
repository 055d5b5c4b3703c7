import '#features/outbox/style.css'
import { useState } from 'react'
import { readLoss } from '#local/outbox/data-loss.ts'
import { countLocked, type EntryView } from '#local/outbox/read-entries.ts'
import { hasLapsed, readSession, type Session } from '#local/session/session.ts'
import type { OutboxActions, Result } from '#request/results.ts'
import { useDispatch, useSelector } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { useNow } from '#features/outbox/use-now.ts'
import { CompareDialog } from '#features/outbox/ConflictDialog.tsx'
import { DropDialog } from '#features/outbox/DiscardDialog.tsx'
import { type EntryDialog, Entry } from '#features/outbox/OutboxEntry.tsx'
import { Loss } from '#features/outbox/DataLossNote.tsx'
import { Mend } from '#features/outbox/EditEntry.tsx'
import { Receipts } from '#features/outbox/Receipts.tsx'
import { Unknowns } from '#features/outbox/UnknownCalls.tsx'
import { saveText } from '#features/outbox/export-text.ts'
import { selectIsSending, sendNow } from '#features/outbox/slice.ts'
import type { Menders } from '#features/outbox/edit-forms.ts'
import { type Item, readWaitings, type Waitings } from '#features/outbox/read-items.ts'

export interface OutboxProps {
  desk: OutboxActions
  menders: Menders
  /** Mends and waits a moment for what the server says. */
  send: (intent: string, asked: EntryView['input']) => Promise<Result<unknown>>
}

const step = 25

const isOver = (session: Session | null) => session !== null && hasLapsed(session, Date.now())

/** What this device has recorded and the server has not accepted yet, what became of the rest, and what can be done. */
export function Outbox({ desk, menders, send }: OutboxProps) {
  const { t } = useTranslation('outbox')
  const now = useNow()
  const [shares, setShares] = useState({ yours: step, others: step })
  const found = useLiveQuery(() => readWaitings(shares), [shares])
  // What is gone was not sent: then nothing here may say that all of it was.
  const lost = useLiveQuery(async () => (await readLoss()) !== null, [])
  const locked = useLiveQuery(() => countLocked(), [])
  // Asked again each time that the page looks at the clock.
  const isLapsed = useLiveQuery(async () => isOver(await readSession()), [now])
  const [opened, setOpened] = useState<{ deed: EntryDialog; item: Item } | null>(null)
  const close = () => setOpened(null)
  const share = { desk, now, all: found ? [...found.yours, ...found.others] : [], onOpen: setOpened }
  const more = (group: keyof typeof shares) => setShares({ ...shares, [group]: shares[group] + step })
  return (
    <Page
      title={t('title')}
      intro={t(isLapsed ? 'leadLogin' : 'lead')}
      width="narrow"
      action={found && <Acts desk={desk} found={found} />}
    >
      <Loss desk={desk} />
      {!found && (
        <section className="card">
          <Skeleton />
        </section>
      )}
      {locked !== undefined && locked > 0 && (
        <section className="card">
          <EmptyState icon="lock" title={t('locked', { count: locked })}>
            <p>{t('lockedText')}</p>
          </EmptyState>
        </section>
      )}
      {found && lost !== undefined && locked === 0 && found.yoursCount + found.othersCount === 0 && (
        <section className="card">
          <EmptyState icon={lost ? 'outbox' : 'check'} title={t(lost ? 'emptyLost' : 'empty')}>
            <p>{t('emptyText')}</p>
          </EmptyState>
        </section>
      )}
      {found && (
        <>
          <Group {...share} name="needsYou" items={found.yours} count={found.yoursCount} onMore={() => more('yours')} />
          <Unknowns now={now} />
          <Group
            {...share}
            name="byItself"
            items={found.others}
            count={found.othersCount}
            onMore={() => more('others')}
          />
        </>
      )}
      <Receipts />
      {opened?.deed.kind === 'mend' && <Mend item={opened.item} menders={menders} send={send} onClose={close} />}
      {opened?.deed.kind === 'compare' && (
        <CompareDialog item={opened.item} found={opened.deed.found} desk={desk} onClose={close} />
      )}
      {opened?.deed.kind === 'drop' && <DropDialog item={opened.item} desk={desk} onClose={close} />}
    </Page>
  )
}

interface GroupProps {
  name: 'needsYou' | 'byItself'
  items: Item[]
  count: number
  all: readonly Item[]
  now: number
  desk: OutboxActions
  onOpen: (opened: { deed: EntryDialog; item: Item }) => void
  onMore: () => void
}

function Group({ name, items, count, onOpen, onMore, ...share }: GroupProps) {
  const { t } = useTranslation('outbox')
  if (count === 0) return null
  return (
    <section className={`card ${name === 'needsYou' ? 'needs-you' : ''}`} aria-labelledby={`group-${name}`}>
      <h2 id={`group-${name}`}>
        {t(name)} <span className="write-count">{count}</span>
      </h2>
      <ol className="writes">
        {items.map((item) => (
          <Entry key={item.entry.intent} item={item} {...share} onOpen={(deed) => onOpen({ deed, item })} />
        ))}
      </ol>
      {count > items.length && (
        <div>
          <Button onClick={onMore}>{t('more', { count: Math.min(step, count - items.length) })}</Button>
        </div>
      )}
    </section>
  )
}

function Acts({ desk, found: { canGo, others, yoursCount, othersCount } }: { desk: OutboxActions; found: Waitings }) {
  const { t } = useTranslation('outbox')
  const dispatch = useDispatch()
  const busy = useSelector(selectIsSending)
  const send = async () => {
    await dispatch(sendNow(desk))
    const [first] = others
    const why = first && (await desk.whyWaits(first.entry.intent))
    if (why?.why === 'line') showToast({ kind: 'note', text: t('toast.noLine') })
    if (why?.why === 'sign in') showToast({ kind: 'note', text: t('why.sign in') })
  }
  const save = async () => {
    const file = saveText(await desk.exportAll(), 'waiting-changes', Date.now())
    showToast({ kind: 'done', text: t('toast.exported', { file }) })
  }
  if (yoursCount + othersCount === 0) return null
  return (
    <>
      {canGo && (
        <Button icon="refresh" busy={busy} onClick={() => void send()}>
          {t('act.sendNow')}
        </Button>
      )}
      <Button icon="install" onClick={() => void save()}>
        {t('act.export')}
      </Button>
    </>
  )
}
