import { useEffect, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { WaitingState } from '#local/storage/records.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OutboxActions, WaitReason as EntryWaitReason } from '#request/call-results.ts'
import { useConnection } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { getAnchorId, type OutboxItem, readItems } from '#features/outbox/read-items.ts'
import { useAgo, useEntryMessages } from '#features/outbox/entry-messages.ts'

interface WaitReasonProps {
  entry: EntryView
  visibleItems: readonly OutboxItem[]
  now: number
  actions: OutboxActions
}

/** Shows why an entry that needs no decision is not sent yet, with a link to the entry it waits for. */
export function WaitReason({ entry, visibleItems, now, actions }: WaitReasonProps) {
  const { t } = useTranslation('outbox')
  const formatAgo = useAgo()
  const waitReason = useWaitReason({ entry, visibleItems, now, actions })
  const isOnline = useConnection().networkState === 'online'
  if (!waitReason || waitReason.kind === 'user') return null
  if (waitReason.kind === 'earlier' || waitReason.kind === 'needs')
    return (
      <p className="write-why">
        <BlockingEntry {...waitReason} visibleItems={visibleItems} />
      </p>
    )
  return <p className="write-why">{describeReason(waitReason)}</p>

  function describeReason(reason: Exclude<EntryWaitReason, { kind: 'user' | 'earlier' | 'needs' }>): string {
    if (!('until' in reason)) return t(`why.${reason.kind}`)
    if (reason.kind === 'line') return t(isOnline ? 'why.unreached' : 'why.line')
    const timeText = formatAgo(reason.until, now)
    if (reason.kind === 'blocked') return t('why.locked', { problem: formatProblem(reason.problem), at: timeText })
    if (reason.kind === 'locked') {
      // Uses the specified text (M49) if the server has named the user and the action.
      const { problem } = entry
      const details =
        problem && reason.userName !== null && reason.actionName !== null ? formatProblem(problem) : t('why.lockedBy')
      return t('why.locked', { problem: details, at: timeText })
    }
    return t(`why.${reason.kind}`, { at: timeText })
  }
}

const textKeyByState: Partial<Record<WaitingState, 'blocked' | 'undecided' | 'withdrawn'>> = {
  refused: 'blocked',
  asks: 'undecided',
  conflict: 'undecided',
  dropping: 'withdrawn',
}

function BlockingEntry({
  intent,
  state,
  visibleItems,
}: {
  intent: Intent
  state: WaitingState
  visibleItems: readonly OutboxItem[]
}) {
  const { t } = useTranslation('outbox')
  const { describeWrite } = useEntryMessages()
  const listedItem = visibleItems.find(({ entry }) => entry.intent === intent)
  const unlistedItems = useLiveQuery(async () => (listedItem ? [] : await readItems([intent])), [listedItem, intent])
  const blockingItem = listedItem ?? unlistedItems?.[0]
  if (!blockingItem) return null
  const { entry, name } = blockingItem
  const kind = entry.action === 'create' ? namedTables.find((table) => table === entry.table) : undefined
  const writeText =
    kind && name !== null ? t(`why.created.${kind}`, { name }) : t('why.quoted', { write: describeWrite(entry, name) })
  const text = t(`why.${textKeyByState[state] ?? 'waitsFor'}`, { write: writeText })
  return listedItem ? <a href={`#${getAnchorId(intent)}`}>{text}</a> : <>{text}</>
}

const namedTables = ['users', 'orders', 'price_lists', 'modules'] as const

/** Returns why the entry waits. It is read again whenever the outbox changes, and as time passes. */
function useWaitReason({ entry, visibleItems, now, actions }: WaitReasonProps): EntryWaitReason | null {
  const [waitReason, setWaitReason] = useState<EntryWaitReason | null>(null)
  const { intent } = entry
  // biome-ignore lint: what changes is the reason to ask again
  useEffect(() => {
    let isActive = true
    void actions.getWaitReason(intent).then((newReason) => isActive && setWaitReason(newReason))
    return () => void (isActive = false)
  }, [actions, intent, entry, visibleItems, now])
  return waitReason
}
