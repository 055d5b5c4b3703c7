import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { maxLines, type LogLinesState } from '#features/services/log/log-lines.ts'

interface LogStatusProps {
  lines: LogLinesState | null
  shouldFollow: boolean
  isOnline: boolean
  timeZone: string
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
  const { lines, timeZone } = props
  const count = lines?.lines.length ?? 0
  const connectionKey = getConnectionKey(props)
  const limitKey = getLimitKey(lines)
  return (
    <p className="log-status" role="status">
      {count > 0 && <span>{t('log.lines', { count, number: formatNumber(count) })}</span>}
      {connectionKey && <span>{t(connectionKey)}</span>}
      {limitKey && <span>{t(limitKey, { number: formatNumber(maxLines) })}</span>}
      <span>{t('log.zone', { zone: timeZone })}</span>
    </p>
  )
}
