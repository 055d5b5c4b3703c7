import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Intent } from '#contract/endpoint.ts'
import { countDone } from '#local/outbox/receipts.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { useSentences } from '#features/outbox/entry-messages.ts'
import { useRefusalLines } from '#features/outbox/refusal-lines.ts'
import { useTroubleText } from '#features/outbox/useTroubleText.ts'
import { readItems } from '#features/outbox/read-items.ts'

/** What has left the outbox, and what was refused, since it was last told. */
export interface Drained {
  gone: readonly Intent[]
  refused: readonly Intent[]
}

/** One message for all of them: how many went, and which was refused, why (which user, which field). */
export function SendReport({ drained }: { drained: Drained }) {
  const { t } = useTranslation('outbox')
  const { whatOf } = useSentences()
  const textOf = useTroubleText()
  const readLines = useRefusalLines()
  const go = useNavigate()
  const told = useRef<Drained | null>(null)
  async function report() {
    const [sent, items] = await Promise.all([countDone(drained.gone), readItems(drained.refused)])
    const held = items.filter(({ entry }) => isParked(entry))
    const [first] = held
    const refused = held.filter(({ entry }) => entry.state === 'refused').length
    const numbers = [
      ...(sent > 0 ? [t('drained.sent', { count: sent })] : []),
      ...(refused > 0 ? [t('drained.refused', { count: refused })] : []),
      ...(held.length > refused ? [t('drained.undecided', { count: held.length - refused })] : []),
    ].join(t('drained.and'))
    if (!first) return void (sent > 0 && showToast({ kind: 'done', text: numbers }))
    const why = (await readLines(first.entry.table, first.entry.problem))[0] ?? textOf(first.entry)
    const text = t('drained.named', { numbers, what: whatOf(first.entry, first.name), why })
    showToast({ kind: 'failed', text, act: { label: t('drained.review'), run: () => void go('/app/outbox') } })
  }
  useEffect(() => {
    if (told.current === drained) return
    told.current = drained
    void report()
  })
  return null
}
