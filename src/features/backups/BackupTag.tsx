import type { PdbType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { getBackupTag, type BackupTag as BackupTagKind } from '#domain/backups.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'

const tones: Record<BackupTagKind, TagTone> = {
  none: 'neutral',
  effective: 'positive',
  expired: 'warning',
  traffic_disabled: 'danger',
}

/** Shows the state of a subscription (contracts 4), with its last day (D18). */
export function BackupTag({ type, service, today }: { type: PdbType; service: ServiceRow; today: PlainDate }) {
  const { t } = useTranslation('backups')
  const tagKind = getBackupTag(type, service, today)
  const endDate = service[`${type}_date`]
  return <Tag tone={tones[tagKind]}>{t(`tag.${tagKind}`, { date: endDate === null ? '' : getLastDay(endDate) })}</Tag>
}
