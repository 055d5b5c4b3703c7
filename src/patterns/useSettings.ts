import { getSettings } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { PlainDate } from '#domain/time.ts'
import { useRecord } from '#state/use-record.ts'
import { useToday } from '#ui/page/use-today.ts'

/** The server's settings as stored on this device; null: it has none, or was not read yet. */
export const useSettings = (): OutputOf<typeof getSettings> | null => useRecord(getSettings, {}).record ?? null

/** Today in the business time zone (D31); null: it is not known yet. */
export function useBusinessToday(): PlainDate | null {
  const settings = useSettings()
  const today = useToday(settings?.time_zone)
  return settings && today
}
