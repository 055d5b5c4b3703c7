import { getSettings } from '#contract/accounts.ts'
import { readAgedResponse } from '#local/lists/responses.ts'
import { useCachedResponse } from '#state/use-cached-response.ts'

/** The server's settings as this device last heard, asked for on arrival: its time zone, how it reads the bound of the UAT fee (D1). */
export const useSettings = () => useCachedResponse(readAgedResponse, getSettings, {}).response?.output ?? null
