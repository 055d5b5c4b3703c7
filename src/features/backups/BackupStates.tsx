import { backupTypes } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useBusinessToday } from '#patterns/useSettings.ts'
import { Tag } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'
import '#features/backups/translations.ts'
import { BackupTag } from '#features/backups/BackupTag.tsx'

/** The backup subscriptions of a service in one line, or that it never had one. A failed backup replaces the state of its type. */
export function BackupStates({ service }: { service: ServiceRow }) {
  const { t } = useTranslation('backups')
  const today = useBusinessToday()
  if (today === null) return null
  const subscribedTypes = backupTypes.filter((type) => service[`${type}_date`] !== null)
  if (subscribedTypes.length === 0) return <Tag>{t('tag.none')}</Tag>
  return subscribedTypes.map((type) => (
    <span key={type} className="customer-backup">
      {t(`type.${type}`)}{' '}
      {service.failing_backups.includes(type) ? (
        <Tag tone="danger">{t('tag.failing')}</Tag>
      ) : (
        <BackupTag {...{ type, service, today }} />
      )}
    </span>
  ))
}
