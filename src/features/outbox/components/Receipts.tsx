import { useState } from 'react'
import { Link } from 'react-router-dom'
import { isCompanyAdmin } from '#domain/access.ts'
import { readReceipts, type Told } from '#local/receipts.ts'
import { useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { CopyText } from '#ui/CopyText.tsx'
import { ownTime, readingTime } from '#ui/Freshness.tsx'
import { Icon } from '#ui/Icon.tsx'
import { Tag, type Tone } from '#ui/Tag.tsx'
import { problemWords, useWords } from '#ui/words.ts'
import { useSentences } from '#features/outbox/wording.ts'

const tones: Record<Told['outcome'], Tone> = {
  done: 'positive',
  refused: 'danger',
  dropped: 'neutral',
  merged: 'accent',
  void: 'neutral',
}
const step = 20

/** What became of earlier writes, the newest first, each with the number under which the server's trail has it. */
export function Receipts() {
  const t = useWords('outbox')
  const [most, setMost] = useState(step)
  // One more than is shown says whether there are more.
  const found = useLive(() => readReceipts(most + 1), [most])
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

function Receipt({ told }: { told: Told }) {
  const t = useWords('outbox')
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
          <time dateTime={new Date(time).toISOString()}>{readingTime(time)}</time>
        </summary>
        <div className="receipt-more">
          <p>{t(`receipts.${outcome}Text`)}</p>
          <dl>
            <div>
              <dt>{t('receipts.made')}</dt>
              <dd>{ownTime(since)}</dd>
            </div>
            <div>
              <dt>{t('receipts.ended')}</dt>
              <dd>{ownTime(time)}</dd>
            </div>
            {code && (
              <div>
                <dt>{t('receipts.why')}</dt>
                <dd>{problemWords({ status: 0, code, message: '', data: null, requestId: null })}</dd>
              </div>
            )}
            {isInTrail && (
              <div>
                <dt>{t('receipts.number')}</dt>
                <dd>
                  <CopyText text={intent} />
                </dd>
              </div>
            )}
          </dl>
          {isInTrail && isCompanyAdmin(caller) && (
            <Link to={`/app/systrail?intent=${intent}`}>{t('receipts.trail')}</Link>
          )}
        </div>
      </details>
    </li>
  )
}
