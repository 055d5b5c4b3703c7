import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import type { LogTrouble } from '#request/call-results.ts'
import { useAlarmText } from '#features/audit-trail/offline/use-alarm-text.ts'

export function AlarmNote({ alarm, children }: { alarm: LogTrouble; children?: React.ReactNode }) {
  const { t } = useTranslation('storedTrail')
  const formatAlarm = useAlarmText()
  return (
    <div className="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{t('alarm.title')}</strong> {formatAlarm(alarm)}
        </p>
        <p>{t('alarm.advice')}</p>
        {children && <div className="problem-ways">{children}</div>}
      </div>
    </div>
  )
}
