import { backupTypes } from '#contract/backups.ts'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { Plan } from '#features/backups/useBackups.ts'

/** When the next backup is made, how they are kept, whether one was proven to be whole, and what was restored into the service. */
export function PlanFacts({ plan }: { plan: Plan }) {
  const { t } = useTranslation('backups')
  const next = backupTypes.filter((type) => plan[type].next_run !== null)
  const good = backupTypes.filter((type) => plan[type].last_good !== null)
  const { keep_count: count, keep_days: days } = plan
  return (
    <div className="backup-plan">
      <Facts>
        <Fact label={t('plan.next')}>
          {next.length === 0 && t('plan.noNext')}
          {next.map((type) => (
            <span key={type} className="backup-line">
              {t('plan.nextOf', { type: t(`type.${type}`), time: plan[type].next_run })}
            </span>
          ))}
        </Fact>
        {good.length > 0 && (
          <Fact label={t('plan.lastGood')}>
            {good.map((type) => (
              <span key={type} className="backup-line">
                {t('plan.nextOf', { type: t(`type.${type}`), time: plan[type].last_good })}
              </span>
            ))}
          </Fact>
        )}
        <Fact label={t('plan.kept')}>{t('plan.keptText', { number: number(count), days: number(days) })}</Fact>
        <Fact label={t('plan.drill')}>
          <Drill drill={plan.drill} />
        </Fact>
      </Facts>
      {plan.restores.length > 0 && (
        <>
          <h3>{t('plan.restores')}</h3>
          <ul className="backup-restores">
            {plan.restores.map(({ time, backup_id: id, from_code: code, user_name: user, ok, fault }) => (
              <li key={`${time} ${id}`}>
                <Icon name={ok ? 'check' : 'alert'} size={16} />
                <span>
                  {time} · {t('plan.restoreFrom', { id, code })} · {t(ok ? 'plan.restoreOk' : 'plan.restoreFailed')}
                  {fault !== null && ` · ${t(`fault.${fault}`)}`}
                  {' · '}
                  <bdi>{user ?? t('stored.staff')}</bdi>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function Drill({ drill }: Pick<Plan, 'drill'>) {
  const { t } = useTranslation('backups')
  if (drill === null) return t('plan.noDrill')
  const { time, ok, fault } = drill
  if (ok) return t('plan.drillOk', { time })
  return (
    <span className="backup-over">
      <Icon name="alert" size={16} /> {t('plan.drillFailed', { time, fault: fault ? t(`fault.${fault}`) : '' })}
    </span>
  )
}
