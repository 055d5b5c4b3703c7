import '#features/outbox/style.css'
import { useState } from 'react'
import { readLoss } from '#local/loss.ts'
import type { Waiting } from '#local/waiting.ts'
import type { Desk, Result } from '#request/result.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { EmptyState } from '#ui/EmptyState.tsx'
import { Page } from '#ui/Page.tsx'
import { Skeleton } from '#ui/Skeleton.tsx'
import { showToast } from '#ui/toasts.tsx'
import { useWords } from '#ui/words.ts'
import { useNow } from '#features/outbox/clock.ts'
import { CompareDialog } from '#features/outbox/components/CompareDialog.tsx'
import { DropDialog } from '#features/outbox/components/DropDialog.tsx'
import { type Deed, Entry } from '#features/outbox/components/Entry.tsx'
import { Loss } from '#features/outbox/components/Loss.tsx'
import { Mend } from '#features/outbox/components/Mend.tsx'
import { Receipts } from '#features/outbox/components/Receipts.tsx'
import { Unknowns } from '#features/outbox/components/Unknowns.tsx'
import { saveText } from '#features/outbox/exporting.ts'
import type { Menders } from '#features/outbox/mending.ts'
import { type Item, readWaitings, type Waitings } from '#features/outbox/reading.ts'

export interface OutboxProps {
  desk: Desk
  menders: Menders
  /** Mends and waits a moment for what the server says. */
  send: (intent: string, asked: Waiting['asked']) => Promise<Result<unknown>>
}

const step = 25

/** What this device has recorded and the server has not accepted yet, what became of the rest, and what can be done. */
export function Outbox({ desk, menders, send }: OutboxProps) {
  const t = useWords('outbox')
  const now = useNow()
  const [shares, setShares] = useState({ yours: step, others: step })
  const found = useLive(() => readWaitings(shares), [shares])
  // What is gone was not sent: then nothing here may say that all of it was.
  const lost = useLive(async () => (await readLoss()) !== null, [])
  const [opened, setOpened] = useState<{ deed: Deed; item: Item } | null>(null)
  const close = () => setOpened(null)
  const share = { desk, now, all: found ? [...found.yours, ...found.others] : [], onOpen: setOpened }
  const more = (group: keyof typeof shares) => setShares({ ...shares, [group]: shares[group] + step })
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow" action={found && <Acts desk={desk} found={found} />}>
      <Loss desk={desk} />
      {!found && (
        <section className="card">
          <Skeleton />
        </section>
      )}
      {found && lost !== undefined && found.yoursCount + found.othersCount === 0 && (
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
      {opened?.deed.is === 'mend' && <Mend item={opened.item} menders={menders} send={send} onClose={close} />}
      {opened?.deed.is === 'compare' && (
        <CompareDialog item={opened.item} found={opened.deed.found} desk={desk} onClose={close} />
      )}
      {opened?.deed.is === 'drop' && <DropDialog item={opened.item} desk={desk} onClose={close} />}
    </Page>
  )
}

interface GroupProps {
  name: 'needsYou' | 'byItself'
  items: Item[]
  count: number
  all: readonly Item[]
  now: number
  desk: Desk
  onOpen: (opened: { deed: Deed; item: Item }) => void
  onMore: () => void
}

function Group({ name, items, count, onOpen, onMore, ...share }: GroupProps) {
  const t = useWords('outbox')
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

function Acts({ desk, found: { canGo, others, yoursCount, othersCount } }: { desk: Desk; found: Waitings }) {
  const t = useWords('outbox')
  const [busy, setBusy] = useState(false)
  const send = async () => {
    setBusy(true)
    await desk.sendNow()
    setBusy(false)
    const [first] = others
    const why = first && (await desk.whyWaits(first.entry.intent))
    if (why?.why === 'line') showToast({ kind: 'note', text: t('toast.noLine') })
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
