import { getSettings } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { PlainDate } from '#domain/time.ts'
import { useRecord } from '#state/use-record.ts'
import { useToday } from '#ui/page/use-today.ts'

/** Returns the server's settings stored on this device. Null if the device has no settings, or until they have been read. */
export const useSettings = (): OutputOf<typeof getSettings> | null => useRecord(getSettings, {}).record ?? null

/** Returns today in the business time zone (D31), or null if the time zone is not known yet. */
export function useBusinessToday(): PlainDate | null {
  const settings = useSettings()
  const today = useToday(settings?.time_zone)
  return settings && today
}
