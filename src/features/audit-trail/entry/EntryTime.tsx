import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { useTranslation } from 'react-i18next'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

/** The time of an entry, and a mark if it failed. The sentence says it too, but only the mark stands out among others. */
export function EntryTime({
  entry: { end_time: time, status },
}: {
  entry: Pick<AuditEntryRow, 'end_time' | 'status'>
}) {
  const { t } = useTranslation('audit')
  return (
    <>
      <BusinessTime time={time} />
      {status === -1 && (
        <>
          {' · '}
          <span className="trail-failed">{t('status.failed')}</span>
        </>
      )}
    </>
  )
}
