import { useEffect, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { OutboxActions, WaitReason as Reason } from '#request/results.ts'
import { useConnection } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { anchorOf, type Item } from '#features/outbox/read-items.ts'
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
        {t(`why.${why.why}`)} <Other intent={why.intent} all={all} />
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

function Other({ intent, all }: { intent: Intent; all: readonly Item[] }) {
  const { t } = useTranslation('outbox')
  const { whatOf } = useSentences()
  const other = all.find(({ entry }) => entry.intent === intent)
  if (!other) return <>{t('why.another')}</>
  return <a href={`#${anchorOf(intent)}`}>{whatOf(other.entry, other.name)}</a>
}

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
