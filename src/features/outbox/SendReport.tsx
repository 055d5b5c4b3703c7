import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Intent } from '#contract/endpoint.ts'
import { countDone } from '#local/outbox/receipts.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { getRecordKind, useEntryMessages } from '#features/outbox/entry-messages.ts'
import { useRefusalLines } from '#features/outbox/refusal-lines.ts'
import { useTroubleText } from '#features/outbox/useTroubleText.ts'
import { readItems } from '#features/outbox/read-items.ts'

export interface OutboxSendResult {
  sentIntents: readonly Intent[]
  refusedIntents: readonly Intent[]
}

/** Shows one toast for all sent writes: how many were sent and how many refused, with the reason of the first refusal. */
export function SendReport({ sendResult }: { sendResult: OutboxSendResult }) {
  const { t } = useTranslation('outbox')
  const { describeWrite } = useEntryMessages()
  const getTroubleText = useTroubleText()
  const readRefusalLines = useRefusalLines()
  const navigate = useNavigate()
  const reportedResult = useRef<OutboxSendResult | null>(null)
  async function report() {
    const [sentCount, items] = await Promise.all([
      countDone(sendResult.sentIntents),
      readItems(sendResult.refusedIntents),
    ])
    const parkedItems = items.filter(({ entry }) => isParked(entry))
    const [firstItem] = parkedItems
    const countsText = [
      ...(sentCount > 0 ? [t('drained.sent', { count: sentCount })] : []),
      ...(parkedItems.length > 0 ? [t('drained.review', { count: parkedItems.length })] : []),
    ].join(t('drained.and'))
    if (!firstItem) return void (sentCount > 0 && showToast({ kind: 'done', text: countsText }))
    const reason =
      (await readRefusalLines(firstItem.entry.table, firstItem.entry.problem))[0] ?? getTroubleText(firstItem.entry)
    const text =
      reason === t('conflict')
        ? // Nobody is known who changed it, so the kind of the record says more than the write.
          t(`drained.changed.${getRecordKind(firstItem.entry)}`, { numbers: countsText })
        : t('drained.named', {
            numbers: countsText,
            write: describeWrite(firstItem.entry, firstItem.name),
            reason,
          })
    showToast({
      kind: 'failed',
      text,
      action: { label: t('drained.open'), onRun: () => void navigate('/app/outbox') },
    })
  }
  useEffect(() => {
    if (reportedResult.current === sendResult) return
    reportedResult.current = sendResult
    void report()
  })
  return null
}
