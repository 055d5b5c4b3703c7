import { useEffect, useState } from 'react'
import { isParked } from '#local/outbox/read-entries.ts'
import { isUnsent } from '#local/outbox/entry-actions.ts'
import type { ConflictComparison, OutboxActions } from '#request/call-results.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { WaitReason } from '#features/outbox/WaitReason.tsx'
import { getAnchorId, type OutboxItem } from '#features/outbox/read-items.ts'
import { useRefusalLines } from '#features/outbox/refusal-lines.ts'
import { useTroubleText } from '#features/outbox/useTroubleText.ts'
import { saveText } from '#features/outbox/export-text.ts'
import { useChangeLines } from '#features/outbox/change-lines.ts'
import { getEntryChanges, isRowAction, useAgo, useEntryMessages } from '#features/outbox/entry-messages.ts'

/** What one opens on an entry: each is a dialog of its own. */
export type OutboxEntryDialog =
  | { kind: 'edit' }
  | { kind: 'drop' }
  | { kind: 'compare'; comparison: ConflictComparison }

export interface OutboxEntryProps {
  item: OutboxItem
  /** Those that stand on the page, for links to what this one waits for. */
  visibleItems: readonly OutboxItem[]
  now: number
  actions: OutboxActions
  onOpen: (dialog: OutboxEntryDialog) => void
}

export function OutboxEntry({ item, visibleItems, now, actions, onOpen }: OutboxEntryProps) {
  const { t } = useTranslation('outbox')
  const { t: tUi } = useTranslation('ui')
  const formatAgo = useAgo()
  const { describeWrite } = useEntryMessages()
  const { entry, name } = item
  const { state, attempts, since, action, intent, problem } = entry
  const title = describeWrite(entry, name)
  const actionButtons = <EntryActions item={item} title={title} actions={actions} onOpen={onOpen} />
  return (
    <li id={getAnchorId(intent)} className="write" tabIndex={-1}>
      <div className="write-head">
        <h3>{title}</h3>
        <PendingMark state={state} action={action} />
      </div>
      {action === 'change' && <ChangedFields table={entry.table} input={entry.input} base={entry.base} />}
      <div className="write-foot">
        <div>
          <p className="write-about">
            <time dateTime={new Date(since).toISOString()}>{t('made', { age: formatAgo(since, now) })}</time>
          </p>
          <WaitReason entry={entry} visibleItems={visibleItems} now={now} actions={actions} />
        </div>
        {!isParked(entry) && actionButtons}
      </div>
      {attempts > 0 && (
        <details className="write-about">
          <summary>{t('details')}</summary>
          <p>{t('tries', { count: attempts })}</p>
          {problem?.requestId && (
            <p>
              {tUi('problem.requestId')} <CopyText text={problem.requestId} />
            </p>
          )}
        </details>
      )}
      {isParked(entry) && (
        <>
          <EntryTrouble item={item} />
          {actionButtons}
        </>
      )}
    </li>
  )
}

/** What stands between this write and the server, as far as its user has to know it. */
function EntryTrouble({ item: { entry } }: { item: OutboxItem }) {
  const getTroubleText = useTroubleText()
  const readRefusalLines = useRefusalLines()
  const [lines, setLines] = useState<string[]>([])
  const { state, problem, table } = entry
  // The words are the same as long as the language is.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(() => void readRefusalLines(table, problem).then(setLines), [table, problem])
  if (problem?.code === 'TOO_OLD' || state === 'conflict')
    return <p className="write-trouble">{getTroubleText(entry)}</p>
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
export function ChangedFields({ table, ...values }: Pick<OutboxItem['entry'], 'table' | 'input' | 'base'>) {
  const lines = useChangeLines(table)
  const changes = getEntryChanges(values).flatMap(({ field, from, to }) => lines.formatChanges(field, from, to))
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
function EntryActions({
  item: { entry },
  title,
  actions,
  onOpen,
}: Pick<OutboxEntryProps, 'item' | 'actions' | 'onOpen'> & { title: string }) {
  const { t } = useTranslation('outbox')
  const { intent, state, problem } = entry
  // Who changed it is asked of the server, which may take a moment.
  const [isBusy, setIsBusy] = useState(false)
  const runAction = (actionResult: Promise<boolean>) =>
    void actionResult.then((isFound) => !isFound && showToast({ kind: 'note', text: t('toast.failed') }))
  if (state === 'dropping') return null
  const compare = async () => {
    setIsBusy(true)
    const comparison = await actions.compare(intent)
    setIsBusy(false)
    if (comparison) onOpen({ kind: 'compare', comparison })
    else showToast({ kind: 'note', text: t('toast.failed') })
  }
  const retry = async () => {
    setIsBusy(true)
    const isFound = await actions.retry(intent)
    const waitReason = isFound ? await actions.getWaitReason(intent) : null
    setIsBusy(false)
    if (!isFound) showToast({ kind: 'note', text: t('toast.failed') })
    else if (waitReason?.kind === 'line') showToast({ kind: 'note', text: t('toast.noLine') })
    else if (waitReason?.kind === 'sign in') showToast({ kind: 'note', text: t('why.sign in') })
  }
  const exportEntry = async () => {
    const file = saveText(await actions.exportOne(intent), 'waiting-change', Date.now())
    showToast({ kind: 'done', text: t('toast.exported', { file }) })
  }
  const isRefused = state === 'refused'
  const isWaiting = state === 'waiting'
  const canEdit = (isRefused || isWaiting) && !isRowAction(entry)
  // What may be done already can only be taken back: other values under its intent would be lost.
  const isMaybeDone = isWaiting && !isUnsent(entry)
  return (
    // biome-ignore lint: the buttons belong together and to this write
    <div className="write-acts" role="group" aria-label={title}>
      {canEdit && (
        <Button
          kind={isRefused ? 'primary' : 'quiet'}
          icon="edit"
          aria-haspopup="dialog"
          disabledReason={isMaybeDone && t('mend.sent')}
          onClick={() => onOpen({ kind: 'edit' })}
        >
          {t(isRefused ? 'act.mend' : 'act.edit')}
        </Button>
      )}
      {(isRefused || isWaiting) && (
        <Button
          kind={isRefused && !canEdit ? 'primary' : 'quiet'}
          icon="refresh"
          isBusy={isBusy}
          onClick={() => void retry()}
        >
          {t('act.retry')}
        </Button>
      )}
      {state === 'asks' && (
        <Button kind="primary" icon="check" onClick={() => runAction(actions.confirm(intent))}>
          {t(problem?.code === 'TOO_OLD' ? 'act.sendOld' : 'act.confirm')}
        </Button>
      )}
      {state === 'conflict' && (
        <Button kind="primary" isBusy={isBusy} aria-haspopup="dialog" onClick={() => void compare()}>
          {t('act.compare')}
        </Button>
      )}
      {isRefused && problem?.code === 'BLOCKED_BY_PROXY' && (
        <Button kind="quiet" icon="install" onClick={() => void exportEntry()}>
          {t('act.export')}
        </Button>
      )}
      <Button icon="remove" aria-haspopup="dialog" onClick={() => onOpen({ kind: 'drop' })}>
        {t('act.drop')}
      </Button>
    </div>
  )
}
