import { useEffect, useState } from 'react'
import { isParked } from '#local/outbox/read-entries.ts'
import { isUnsent } from '#local/outbox/user-actions.ts'
import type { Comparison, OutboxActions } from '#request/results.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { Why } from '#features/outbox/WaitReason.tsx'
import { anchorOf, type Item } from '#features/outbox/read-items.ts'
import { useRefusalLines } from '#features/outbox/refusal-lines.ts'
import { useTroubleText } from '#features/outbox/useTroubleText.ts'
import { saveText } from '#features/outbox/export-text.ts'
import { useChangeLines } from '#features/outbox/change-lines.ts'
import { changesIn, isMove, useAgo, useSentences } from '#features/outbox/entry-messages.ts'

/** What one opens on an entry: each is a dialog of its own. */
export type EntryDialog = { kind: 'mend' } | { kind: 'drop' } | { kind: 'compare'; found: Comparison }

export interface EntryProps {
  item: Item
  /** Those that stand on the page, for links to what this one waits for. */
  all: readonly Item[]
  now: number
  desk: OutboxActions
  onOpen: (deed: EntryDialog) => void
}

export function Entry({ item, all, now, desk, onOpen }: EntryProps) {
  const { t } = useTranslation('outbox')
  const { t: words } = useTranslation('ui')
  const ago = useAgo()
  const { whatOf } = useSentences()
  const { entry, name } = item
  const { state, attempts, since, action, intent, problem } = entry
  const title = whatOf(entry, name)
  const actions = <Actions item={item} title={title} desk={desk} onOpen={onOpen} />
  return (
    <li id={anchorOf(intent)} className="write" tabIndex={-1}>
      <div className="write-head">
        <h3>{title}</h3>
        <PendingMark state={state} action={action} />
      </div>
      {action === 'change' && <Fields table={entry.table} input={entry.input} base={entry.base} />}
      <div className="write-foot">
        <div>
          <p className="write-about">
            <time dateTime={new Date(since).toISOString()}>{t('made', { age: ago(since, now) })}</time>
          </p>
          <Why entry={entry} all={all} now={now} desk={desk} />
        </div>
        {!isParked(entry) && actions}
      </div>
      {attempts > 0 && (
        <details className="write-about">
          <summary>{t('details')}</summary>
          <p>{t('tries', { count: attempts })}</p>
          {problem?.requestId && (
            <p>
              {words('problem.requestId')} <CopyText text={problem.requestId} />
            </p>
          )}
        </details>
      )}
      {isParked(entry) && (
        <>
          <Trouble item={item} />
          {actions}
        </>
      )}
    </li>
  )
}

/** What stands between this write and the server, as far as its user has to know it. */
function Trouble({ item: { entry } }: { item: Item }) {
  const textOf = useTroubleText()
  const readLines = useRefusalLines()
  const [lines, setLines] = useState<string[]>([])
  const { state, problem, table } = entry
  // The words are the same as long as the language is.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(() => void readLines(table, problem).then(setLines), [table, problem])
  if (problem?.code === 'TOO_OLD' || state === 'conflict') return <p className="write-trouble">{textOf(entry)}</p>
  return (
    <>
      {/* The number to name stands in the details of the entry. */}
      <ProblemNote problem={problem && { ...problem, requestId: null }} />
      {lines.length > 0 && (
        <ul className="write-fields">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  )
}

/** What it sets, field by field. */
export function Fields({ table, ...values }: Pick<Item['entry'], 'table' | 'input' | 'base'>) {
  const lines = useChangeLines(table)
  const changes = changesIn(values).flatMap(({ field, from, to }) => lines.changes(field, from, to))
  if (changes.length === 0) return null
  return (
    <ul className="write-fields">
      {changes.map((change) => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  )
}

/** The one thing most likely wanted stands first and looks like it. */
function Actions({
  item: { entry },
  title,
  desk,
  onOpen,
}: Pick<EntryProps, 'item' | 'desk' | 'onOpen'> & { title: string }) {
  const { t } = useTranslation('outbox')
  const { intent, state, problem } = entry
  // Who changed it is asked of the server, which may take a moment.
  const [busy, setBusy] = useState(false)
  const run = (act: Promise<boolean>) =>
    void act.then((isThere) => !isThere && showToast({ kind: 'note', text: t('toast.failed') }))
  if (state === 'dropping') return null
  const compare = async () => {
    setBusy(true)
    const found = await desk.compare(intent)
    setBusy(false)
    if (found) onOpen({ kind: 'compare', found })
    else showToast({ kind: 'note', text: t('toast.failed') })
  }
  const retry = async () => {
    setBusy(true)
    const isThere = await desk.retry(intent)
    const why = isThere ? await desk.whyWaits(intent) : null
    setBusy(false)
    if (!isThere) showToast({ kind: 'note', text: t('toast.failed') })
    else if (why?.why === 'line') showToast({ kind: 'note', text: t('toast.noLine') })
    else if (why?.why === 'sign in') showToast({ kind: 'note', text: t('why.sign in') })
  }
  const save = async () => {
    const file = saveText(await desk.exportOne(intent), 'waiting-change', Date.now())
    showToast({ kind: 'done', text: t('toast.exported', { file }) })
  }
  const isRefused = state === 'refused'
  const isWaiting = state === 'waiting'
  const canMend = (isRefused || isWaiting) && !isMove(entry)
  // What may be done already can only be taken back: other values under its intent would be lost.
  const mayBeDone = isWaiting && !isUnsent(entry)
  return (
    // biome-ignore lint: the buttons belong together and to this write
    <div className="write-acts" role="group" aria-label={title}>
      {canMend && (
        <Button
          kind={isRefused ? 'primary' : 'quiet'}
          icon="edit"
          aria-haspopup="dialog"
          whyNot={mayBeDone && t('mend.sent')}
          onClick={() => onOpen({ kind: 'mend' })}
        >
          {t(isRefused ? 'act.mend' : 'act.edit')}
        </Button>
      )}
      {(isRefused || isWaiting) && (
        <Button
          kind={isRefused && !canMend ? 'primary' : 'quiet'}
          icon="refresh"
          busy={busy}
          onClick={() => void retry()}
        >
          {t('act.retry')}
        </Button>
      )}
      {state === 'asks' && (
        <Button kind="primary" icon="check" onClick={() => run(desk.confirm(intent))}>
          {t(problem?.code === 'TOO_OLD' ? 'act.sendOld' : 'act.confirm')}
        </Button>
      )}
      {state === 'conflict' && (
        <Button kind="primary" busy={busy} aria-haspopup="dialog" onClick={() => void compare()}>
          {t('act.compare')}
        </Button>
      )}
      {isRefused && problem?.code === 'BLOCKED_BY_PROXY' && (
        <Button kind="quiet" icon="install" onClick={() => void save()}>
          {t('act.export')}
        </Button>
      )}
      <Button icon="remove" aria-haspopup="dialog" onClick={() => onOpen({ kind: 'drop' })}>
        {t('act.drop')}
      </Button>
    </div>
  )
}
