import type { BackupType } from '#contract/backups.ts'
import type { ServiceRow } from '#contract/services.ts'
import { backupTag, type BackupTag as Standing } from '#domain/backups.ts'
import { lastDay } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import { useTranslation } from 'react-i18next'

const tones: Record<Standing, Tone> = {
  none: 'neutral',
  effective: 'positive',
  expired: 'warning',
  traffic_disabled: 'danger',
}

/** How a subscription stands (contracts 4); the day that is told is its last one (D18). */
export function BackupTag({ type, service, today }: { type: BackupType; service: ServiceRow; today: PlainDate }) {
  const { t } = useTranslation('backups')
  const standing = backupTag(type, service, today)
  const end = service[`${type}_date`]
  return <Tag tone={tones[standing]}>{t(`tag.${standing}`, { date: end === null ? '' : lastDay(end) })}</Tag>
}
