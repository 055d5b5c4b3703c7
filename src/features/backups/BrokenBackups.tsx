import type { ServiceRow } from '#contract/services.ts'
import { useTranslation } from 'react-i18next'
import { Notice } from '#ui/display/Notice.tsx'
import type { BackupPlan } from '#features/backups/backup-hooks.ts'

export function BrokenBackups({ service, plan }: { service: ServiceRow; plan: BackupPlan | null }) {
  const { t } = useTranslation('backups')
  const formatFault = (fault: BackupPlan['pdb2s3']['fault'] | undefined) =>
    fault ? t('failing.fault', { fault: t(`fault.${fault}`) }) : t('failing.plain')
  return (
    <>
      {service.traffic_disabled && (
        <Notice look="backup-note" tone="danger" icon="stop">
          <p>{t(`suspended.${plan?.traffic_disabled_by ?? 'unknown'}`)}</p>
        </Notice>
      )}
      {service.failing_backups.map((type) => (
        <Notice key={type} look="backup-note" tone="danger" icon="alert">
          <p>
            <strong>{t('failing.title', { type: t(`type.${type}`) })}</strong>
          </p>
          <p>{formatFault(plan?.[type].fault)}</p>
        </Notice>
      ))}
    </>
  )
}
