import { Link } from 'react-router-dom'
import { readLoss } from '#local/loss.ts'
import type { Desk } from '#request/result.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { readingTime } from '#ui/Freshness.tsx'
import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'
import '#features/outbox/style.css'

/** Unsent writes are gone with the browser's storage: how many, since when, and what to do now (requirement 48). */
export function Loss({ desk }: { desk: Pick<Desk, 'acknowledgeLoss'> }) {
  const t = useWords('outbox')
  const loss = useLive(() => readLoss(), [])
  if (!loss) return null
  return (
    <div className="loss" role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('loss.title', { count: loss.writes })}</strong>
        </p>
        <p>{t('loss.text', { at: readingTime(loss.noticedAt) })}</p>
        <p>
          {t('loss.keep')} <Link to="/app/device">{t('loss.toDevice')}</Link>
        </p>
        <div className="write-acts">
          <Button onClick={() => void desk.acknowledgeLoss()}>{t('loss.seen')}</Button>
        </div>
      </div>
    </div>
  )
}
