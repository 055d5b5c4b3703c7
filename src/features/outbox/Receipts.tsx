import { useState } from 'react'
import { Link } from 'react-router-dom'
import { isAllowed } from '#domain/access.ts'
import { readReceipts, type ReceiptView } from '#local/outbox/receipts.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem } from '#ui/display/DescriptionList.tsx'
import { formatBusinessTime, toServerTime } from '#ui/page/business-clock.ts'
import { ReadingTime } from '#ui/list/Freshness.tsx'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { ChangedFields } from '#features/outbox/OutboxEntry.tsx'
import { useEntryMessages } from '#features/outbox/entry-messages.ts'

const tones: Record<ReceiptView['outcome'], TagTone> = {
  done: 'positive',
  refused: 'danger',
  dropped: 'neutral',
  merged: 'accent',
  void: 'neutral',
}
const pageSize = 20

/** Lists the results of earlier writes, latest first, each with the number that identifies it in the audit trail. */
export function Receipts() {
  const { t } = useTranslation('outbox')
  const [visibleCount, setVisibleCount] = useState(pageSize)
  // Reads one more than it displays, to know whether there are more.
  const receipts = useLiveQuery(() => readReceipts(visibleCount + 1), [visibleCount])
  if (!receipts) return null
  return (
    <section className="card" aria-labelledby="receipts">
      <div>
        <h2 id="receipts">{t('receipts.title')}</h2>
        <p className="write-lead">{t(receipts.length === 0 ? 'receipts.none' : 'receipts.lead')}</p>
      </div>
      {receipts.length > 0 && (
        <ul className="receipts">
          {receipts.slice(0, visibleCount).map((receipt) => (
            <ReceiptEntry key={receipt.intent} receipt={receipt} />
          ))}
        </ul>
      )}
      {receipts.length > visibleCount && (
        <div>
          <Button onClick={() => setVisibleCount(visibleCount + pageSize)}>{t('more', { count: pageSize })}</Button>
        </div>
      )}
    </section>
  )
}

function ReceiptEntry({ receipt }: { receipt: ReceiptView }) {
  const { t } = useTranslation('outbox')
  const { describeReceipt } = useEntryMessages()
  const { caller } = useSignedInSession()
  const { intent, outcome, time, since, code } = receipt
  // A write that never reached the server is not in the audit trail.
  const isInTrail = outcome === 'done' || outcome === 'refused'
  return (
    <li>
      <details>
        <summary>
          <span className="receipt-what">{describeReceipt(receipt)}</span>
          <Tag tone={tones[outcome]}>{t(`receipts.outcome.${outcome}`)}</Tag>
          <ReadingTime instant={toServerTime(time)} />
        </summary>
        <div className="receipt-more">
          <p>{t(`receipts.${outcome}Text`)}</p>
          {receipt.values && receipt.table !== '' && <ChangedFields table={receipt.table} {...receipt.values} />}
          <dl>
            <DescriptionItem label={t('receipts.made')}>{formatBusinessTime(toServerTime(since))}</DescriptionItem>
            <DescriptionItem label={t('receipts.ended')}>{formatBusinessTime(toServerTime(time))}</DescriptionItem>
            {code && (
              <DescriptionItem label={t('receipts.why')}>
                {formatProblem({ status: 0, code, message: '', data: null, requestId: null })}
              </DescriptionItem>
            )}
            {isInTrail && (
              <DescriptionItem label={t('receipts.number')}>
                <CopyText text={intent} />
              </DescriptionItem>
            )}
          </dl>
          {isInTrail && isAllowed('trail', caller) && (
            <Link to={`/app/systrail?intent=${intent}`}>{t('receipts.trail')}</Link>
          )}
        </div>
      </details>
    </li>
  )
}
