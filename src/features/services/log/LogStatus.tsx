import { formatNumber } from '#ui/list/Freshness.tsx'
import { getBusinessNow } from '#ui/page/business-clock.ts'
import { useZoneFormatter } from '#ui/page/zone-name.ts'
import { useTranslation } from 'react-i18next'
import { maxLines, type LogLinesState } from '#features/services/log/log-lines.ts'

interface LogStatusProps {
  lines: LogLinesState | null
  shouldFollow: boolean
  isOnline: boolean
}

function getConnectionKey({ lines, shouldFollow, isOnline }: LogStatusProps) {
  if (shouldFollow) return isOnline ? 'log.following' : 'log.followOffline'
  return lines && !isOnline ? 'log.needsConnection' : null
}

const getLimitKey = (lines: LogLinesState | null) => {
  if (lines?.isTruncated) return 'log.cut'
  return lines?.hasMore ? 'log.more' : null
}

export function LogStatus(props: LogStatusProps) {
  const { t } = useTranslation('services')
  const { lines } = props
  const formatZone = useZoneFormatter()
  const count = lines?.lines.length ?? 0
  const connectionKey = getConnectionKey(props)
  const limitKey = getLimitKey(lines)
  return (
    <p className="log-status" role="status">
      {count > 0 && <span>{t('log.lines', { count, number: formatNumber(count) })}</span>}
      {connectionKey && <span>{t(connectionKey)}</span>}
      {limitKey && <span>{t(limitKey, { number: formatNumber(maxLines) })}</span>}
      <span>{t('log.zone', { zone: formatZone(getBusinessNow()) })}</span>
    </p>
  )
}
