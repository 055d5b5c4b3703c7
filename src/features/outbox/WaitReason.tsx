import { useEffect, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { WaitingState } from '#local/storage/records.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OutboxActions, WaitReason as Reason } from '#request/results.ts'
import { useConnection } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { anchorOf, type Item, readItems } from '#features/outbox/read-items.ts'
import { useAgo, useSentences } from '#features/outbox/entry-messages.ts'

interface WhyProps {
  entry: EntryView
  all: readonly Item[]
  now: number
  desk: OutboxActions
}

/** Why one that could go by itself has not gone yet; where it waits for another one, the way to that. */
export function Why({ entry, all, now, desk }: WhyProps) {
  const { t } = useTranslation('outbox')
  const ago = useAgo()
  const why = useReason({ entry, all, now, desk })
  const isOnline = useConnection().line === 'online'
  if (!why || why.why === 'user') return null
  if (why.why === 'earlier' || why.why === 'needs')
    return (
      <p className="write-why">
        <Blocker {...why} all={all} />
      </p>
    )
  return <p className="write-why">{saidOf(why)}</p>

  function saidOf(reason: Exclude<Reason, { why: 'user' | 'earlier' | 'needs' }>): string {
    if (!('until' in reason)) return t(`why.${reason.why}`)
    if (reason.why === 'line') return t(isOnline ? 'why.unreached' : 'why.line')
    const at = ago(reason.until, now)
    if (reason.why === 'blocked') return t('why.locked', { said: problemWords(reason.problem), at })
    if (reason.why === 'locked') {
      // In the specified words (M49), where the server says who and what.
      const { problem } = entry
      const said = problem && reason.who !== null && reason.what !== null ? problemWords(problem) : t('why.lockedBy')
      return t('why.locked', { said, at })
    }
    return t(`why.${reason.why}`, { at })
  }
}

const blockerWords: Partial<Record<WaitingState, 'blocked' | 'undecided' | 'withdrawn'>> = {
  refused: 'blocked',
  asks: 'undecided',
  conflict: 'undecided',
  dropping: 'withdrawn',
}

/** Names the write that goes first, and leads to it where it stands on the page. */
function Blocker({ intent, state, all }: { intent: Intent; state: WaitingState; all: readonly Item[] }) {
  const { t } = useTranslation('outbox')
  const { whatOf } = useSentences()
  const listed = all.find(({ entry }) => entry.intent === intent)
  const unlisted = useLiveQuery(async () => (listed ? [] : await readItems([intent])), [listed, intent])
  const other = listed ?? unlisted?.[0]
  if (!other) return null
  const { entry, name } = other
  const kind = entry.action === 'create' ? kinds.find((table) => table === entry.table) : undefined
  const what =
    kind && name !== null ? t(`why.created.${kind}`, { name }) : t('why.quoted', { what: whatOf(entry, name) })
  const text = t(`why.${blockerWords[state] ?? 'waitsFor'}`, { what })
  return listed ? <a href={`#${anchorOf(intent)}`}>{text}</a> : <>{text}</>
}

const kinds = ['users', 'orders', 'price_lists', 'modules'] as const

/** Asked again whenever something in the outbox moves, and as time goes by. */
function useReason({ entry, all, now, desk }: WhyProps): Reason | null {
  const [why, setWhy] = useState<Reason | null>(null)
  const { intent } = entry
  // biome-ignore lint: what changes is the reason to ask again
  useEffect(() => {
    let isStill = true
    void desk.whyWaits(intent).then((found) => isStill && setWhy(found))
    return () => void (isStill = false)
  }, [desk, intent, entry, all, now])
  return why
}
