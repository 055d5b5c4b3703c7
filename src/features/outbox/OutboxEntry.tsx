import { useEffect, useState } from 'react'
import { isParked } from '#local/outbox/read-entries.ts'
import type { OutboxActions } from '#request/call-results.ts'
import { CopyText } from '#ui/display/CopyText.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { EntryActions, isEditTooLate, type OutboxEntryDialog } from '#features/outbox/EntryActions.tsx'
import { WaitReason } from '#features/outbox/WaitReason.tsx'
import { getAnchorId, type OutboxItem } from '#features/outbox/read-items.ts'
import { useRefusalLines } from '#features/outbox/refusal-lines.ts'
import { useTroubleText } from '#features/outbox/useTroubleText.ts'
import { useChangeLines } from '#features/outbox/change-lines.ts'
import { getEntryChanges, useAgo, useEntryMessages } from '#features/outbox/entry-messages.ts'

interface OutboxEntryProps {
  item: OutboxItem
  /** Entries that are listed on the page, so that this one can link to the entry it waits for. */
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
  const actionButtons = <EntryActions entry={entry} title={title} actions={actions} onOpen={onOpen} />
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
          {isEditTooLate(entry) && <p className="write-about">{t('mend.sent')}</p>}
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

function EntryTrouble({ item: { entry } }: { item: OutboxItem }) {
  const getTroubleText = useTroubleText()
  const readRefusalLines = useRefusalLines()
  const [lines, setLines] = useState<string[]>([])
  const { state, problem, table } = entry
  // `readRefusalLines` changes only with the language, so it is not a dependency.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(() => void readRefusalLines(table, problem).then(setLines), [table, problem])
  if (problem?.code === 'TOO_OLD' || state === 'conflict')
    return <p className="write-trouble">{getTroubleText(entry)}</p>
  return (
    <>
      {/* Shown without the request id, which is in the details of the entry. */}
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
