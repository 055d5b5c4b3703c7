import { getSettings } from '#contract/accounts.ts'
import { useRecord } from '#state/use-record.ts'

/** The server's settings as stored on this device: its time zone, how it reads the bound of the UAT fee (D1). */
export const useSettings = () => useRecord(getSettings, {}).record ?? null
