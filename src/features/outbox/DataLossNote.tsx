import { Link } from 'react-router-dom'
import { writeKinds } from '#local/outbox/counters.ts'
import { readDataLoss } from '#local/outbox/data-loss.ts'
import type { OutboxActions } from '#request/call-results.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatReadingTime } from '#ui/page/business-clock.ts'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import '#features/outbox/style.css'

/** Shows that unsent writes were lost with the browser's storage: how many, when, and what to do (requirement 48). */
export function DataLossNote({ actions }: { actions: Pick<OutboxActions, 'acknowledgeLoss'> }) {
  const { t } = useTranslation('outbox')
  const loss = useLiveQuery(() => readDataLoss(), [])
  if (!loss) return null
  const kinds = writeKinds.filter((kind) => loss.kinds[kind])
  return (
    <div className="loss" role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('loss.title', { count: loss.writes })}</strong>
        </p>
        {kinds.length > 0 && (
          <p>
            {t('loss.kinds', {
              list: kinds.map((kind) => t(`loss.kind.${kind}`, { number: loss.kinds[kind] ?? 0 })).join(t('and')),
            })}
          </p>
        )}
        <p>{t('loss.text', { at: formatReadingTime(loss.noticedAt) })}</p>
        <p>
          {t('loss.keep')} <Link to="/app/device">{t('loss.toDevice')}</Link>
        </p>
        <div className="write-acts">
          <Button onClick={() => void actions.acknowledgeLoss()}>{t('loss.seen')}</Button>
        </div>
      </div>
    </div>
  )
}
