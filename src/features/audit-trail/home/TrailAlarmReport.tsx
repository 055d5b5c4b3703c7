import { listTrailAlarms } from '#contract/audit-trail.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useRecord } from '#state/use-record.ts'
import { type HomeDuty, type OnReport, useReport } from '#ui/page/home-report.ts'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { useTranslation } from 'react-i18next'
import { useAlarmText } from '#features/audit-trail/offline/use-alarm-text.ts'

export function TrailAlarmReport({ onReport }: { onReport: OnReport }) {
  const { t } = useTranslation('storedTrail')
  const { user } = useSignedInSession()
  const formatAlarm = useAlarmText()
  const { record: alarms, problem, refetch } = useRecord(listTrailAlarms, {})
  const duties = (alarms ?? []).map(
    ({ company_id, company_name, ...alarm }): HomeDuty => ({
      key: `trail ${company_id}`,
      at: '',
      icon: 'alert',
      isUrgent: true,
      title: company_name ? t('alarm.of', { company: company_name }) : t('alarm.title'),
      text: t('alarm.unsigned', { text: formatAlarm(alarm) }),
      action: {
        label: t('alarm.open'),
        path: `/app/systrail${company_id === user.company_id ? '' : `?company=${company_id}`}`,
      },
    }),
  )
  const state = alarms ? 'known' : problem || alarms === null ? 'unknown' : 'loading'
  useReport({ source: 'trail', state, duties, figures: {} }, onReport)
  return <LoadProblem problem={state === 'known' ? null : problem} onRetry={() => void refetch()} />
}
