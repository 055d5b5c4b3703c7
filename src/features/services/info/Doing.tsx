import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { businessTime, fromDeviceClock } from '#ui/page/business-clock.ts'
import { ProgressBar } from '#ui/page/ProgressBar.tsx'
import { find } from '#ui/i18n/i18n.ts'
import { useTranslation } from 'react-i18next'
import { openJobOf, operationOf, passwordJobOf, type ServiceJob } from '#features/services/operations/jobs.ts'
import type { useMoves } from '#features/services/operations/useMoves.tsx'

interface Props {
  row: ServiceRow
  jobs: readonly ServiceJob[] | undefined
  moves: ReturnType<typeof useMoves>
}

/** What is being done to it, by whom and since when, and how far where this device has begun it; and a password that waits to be shown. */
export function Doing({ row, jobs, moves }: Props) {
  const { t } = useTranslation('services')
  const { operation, code } = row
  const own = openJobOf(jobs, row)
  const made = passwordJobOf(jobs, row)
  const kind = operation?.kind ?? (own && operationOf(own))
  const percent = own?.percent ?? null
  return (
    <div role="status" className="service-doing-room">
      {kind && (
        <div className="service-doing">
          <p>
            <strong>{find('services', `doing.${kind}`)}</strong>{' '}
            <span className="service-note">
              {operation?.user_name
                ? t('progress.by', { user: operation.user_name, since: operation.since })
                : t('progress.since', { since: operation?.since ?? businessTime(fromDeviceClock(own?.since ?? 0)) })}
            </span>
          </p>
          {percent !== null && (
            <div className="service-progress">
              <ProgressBar
                label={t('progress.label', { code })}
                percent={percent}
                text={t('progress.percent', { percent })}
              />
              <span aria-hidden="true">{t('progress.percent', { percent })}</span>
            </div>
          )}
        </div>
      )}
      {made && (
        <div className="service-doing">
          <p>
            <Icon name="key" /> {t('password.ready')}
          </p>
          <Button icon="seen" onClick={() => moves.open({ kind: 'password', row, intent: made.intent })}>
            {t('password.show')}
          </Button>
        </div>
      )}
    </div>
  )
}
