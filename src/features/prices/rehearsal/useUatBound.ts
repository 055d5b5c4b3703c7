import { getSettings } from '#contract/accounts.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'

/** Which way the server reads the bound of the UAT fee (D1), as this device last heard. */
export const useUatBound = (): UatBound =>
  useLiveQuery(async () => await readAnswer(getSettings, {}), [])?.uat_bound ?? 'floor'
