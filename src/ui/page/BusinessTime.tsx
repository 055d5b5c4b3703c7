import type { ReactNode } from 'react'
import type { Timestamp } from '#domain/time.ts'
import { useZoneFormatter } from '#ui/page/zone-name.ts'

interface BusinessTimeProps {
  /** In the business time zone (D31). */
  time: Timestamp
  className?: string
  /** A shorter form of the time. */
  children?: ReactNode
}

/** Shows a time. Its tooltip names the time zone, so that no user takes it for the time of the device. */
export function BusinessTime({ time, className, children = time }: BusinessTimeProps) {
  const formatZone = useZoneFormatter()
  // The offset is that of the local time read as UTC: it can differ only in the hours around a clock change.
  const instant = Date.parse(`${time.replace(' ', 'T')}Z`)
  return (
    <time
      className={className}
      dateTime={time.replace(' ', 'T')}
      title={Number.isNaN(instant) ? time : `${time} · ${formatZone(instant)}`}
    >
      {children}
    </time>
  )
}
