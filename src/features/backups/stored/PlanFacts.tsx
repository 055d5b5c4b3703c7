import { backupTypes } from '#contract/backups.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { BackupPlan } from '#features/backups/backup-hooks.ts'

export function PlanFacts({ plan }: { plan: BackupPlan }) {
  const { t } = useTranslation('backups')
  const scheduledTypes = backupTypes.filter((type) => plan[type].next_run !== null)
  const provenTypes = backupTypes.filter((type) => plan[type].last_good !== null)
  const { keep_count: keepCount, keep_days: keepDays } = plan
  return (
    <div className="backup-plan">
      <DescriptionList>
        <DescriptionItem label={t('plan.next')}>
          {scheduledTypes.length === 0 && t('plan.noNext')}
          {scheduledTypes.map((type) => (
            <span key={type} className="backup-line">
              {t('plan.nextOf', { type: t(`type.${type}`), time: plan[type].next_run })}
            </span>
          ))}
        </DescriptionItem>
        {provenTypes.length > 0 && (
          <DescriptionItem label={t('plan.lastGood')}>
            {provenTypes.map((type) => (
              <span key={type} className="backup-line">
                {t('plan.nextOf', { type: t(`type.${type}`), time: plan[type].last_good })}
              </span>
            ))}
          </DescriptionItem>
        )}
        <DescriptionItem label={t('plan.kept')}>
          {t('plan.keptText', { number: formatNumber(keepCount), days: formatNumber(keepDays) })}
        </DescriptionItem>
        <DescriptionItem label={t('plan.drill')}>
          <DrillResult drill={plan.drill} />
        </DescriptionItem>
      </DescriptionList>
      {plan.restores.length > 0 && (
        <>
          <h3>{t('plan.restores')}</h3>
          <ul className="backup-restores">
            {plan.restores.map(({ time, backup_id: id, from_code: sourceCode, user_name: userName, ok, fault }) => (
              <li key={`${time} ${id}`}>
                <Icon name={ok ? 'check' : 'alert'} size={16} />
                <span>
                  {time} · {t('plan.restoreFrom', { id, code: sourceCode })} ·{' '}
                  {t(ok ? 'plan.restoreOk' : 'plan.restoreFailed')}
                  {fault !== null && ` · ${t(`fault.${fault}`)}`}
                  {' · '}
                  <bdi>{userName ?? t('stored.staff')}</bdi>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

function DrillResult({ drill }: Pick<BackupPlan, 'drill'>) {
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
