import { useState } from 'react'
import { Link } from 'react-router-dom'
import { may } from '#domain/access.ts'
import { readReceipts, type ReceiptView } from '#local/outbox/receipts.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact } from '#ui/display/DescriptionList.tsx'
import { businessTime, fromDeviceClock } from '#ui/page/business-clock.ts'
import { readingTime } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { Fields } from '#features/outbox/OutboxEntry.tsx'
import { useSentences } from '#features/outbox/entry-messages.ts'

const tones: Record<ReceiptView['outcome'], Tone> = {
  done: 'positive',
  refused: 'danger',
  dropped: 'neutral',
  merged: 'accent',
  void: 'neutral',
}
const step = 20

/** What became of earlier writes, the newest first, each with the number under which the server's trail has it. */
export function Receipts() {
  const { t } = useTranslation('outbox')
  const [most, setMost] = useState(step)
  // One more than is shown says whether there are more.
  const found = useLiveQuery(() => readReceipts(most + 1), [most])
  if (!found) return null
  return (
    <section className="card" aria-labelledby="receipts">
      <div>
        <h2 id="receipts">{t('receipts.title')}</h2>
        <p className="write-lead">{t(found.length === 0 ? 'receipts.none' : 'receipts.lead')}</p>
      </div>
      {found.length > 0 && (
        <ul className="receipts">
          {found.slice(0, most).map((told) => (
            <Receipt key={told.intent} told={told} />
          ))}
        </ul>
      )}
      {found.length > most && (
        <div>
          <Button onClick={() => setMost(most + step)}>{t('more', { count: step })}</Button>
        </div>
      )}
    </section>
  )
}

function Receipt({ told }: { told: ReceiptView }) {
  const { t } = useTranslation('outbox')
  const { whatWas } = useSentences()
  const { caller } = useSignedIn()
  const { intent, outcome, time, since, code } = told
  // What the server never heard of is in no trail.
  const isInTrail = outcome === 'done' || outcome === 'refused'
  return (
    <li>
      <details>
        <summary>
          <Icon name="right" size={16} />
          <span className="receipt-what">{whatWas(told)}</span>
          <Tag tone={tones[outcome]}>{t(`receipts.outcome.${outcome}`)}</Tag>
          <time dateTime={new Date(time).toISOString()}>{readingTime(fromDeviceClock(time))}</time>
        </summary>
        <div className="receipt-more">
          <p>{t(`receipts.${outcome}Text`)}</p>
          {told.values && told.table !== '' && <Fields table={told.table} {...told.values} />}
          <dl>
            <Fact label={t('receipts.made')}>{businessTime(fromDeviceClock(since))}</Fact>
            <Fact label={t('receipts.ended')}>{businessTime(fromDeviceClock(time))}</Fact>
            {code && (
              <Fact label={t('receipts.why')}>
                {problemWords({ status: 0, code, message: '', data: null, requestId: null })}
              </Fact>
            )}
            {isInTrail && (
              <Fact label={t('receipts.number')}>
                <CopyText text={intent} />
              </Fact>
            )}
          </dl>
          {isInTrail && may('trail', caller) && (
            <Link to={`/app/systrail?intent=${intent}`}>{t('receipts.trail')}</Link>
          )}
        </div>
      </details>
    </li>
  )
}
