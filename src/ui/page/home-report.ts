/** Defines the reports of features to the home page: their duties and figures. The home page displays all duties as one list (C-32). */
import { useEffect, useRef } from 'react'
import type { PlainDate } from '#domain/time.ts'
import type { IconName } from '#ui/icons/Icon.tsx'
import type { ListFreshness } from '#ui/list/Freshness.tsx'

export interface HomeDuty {
  key: string
  /** Deadline in the business time zone. Empty if it is due now; null if there is no deadline (listed last). */
  at: PlainDate | null
  icon: IconName
  isUrgent?: boolean
  title: string
  text: string
  action: DutyAction
  /** Gives the button of the action the primary style. */
  isMain?: boolean
  otherAction?: DutyAction
}

type DutyAction = { label: string; path: string } | DutyButton

export interface DutyButton {
  label: string
  run: () => void
  disabledReason?: string | null
}

export interface HomeFigure {
  value: string
  /** Further values of the same kind: sums in other currencies. */
  otherValues?: readonly string[]
  note: string
  /** Age of the value. Null if the value is from this device only. */
  freshness: ListFreshness | null
}

export interface HomeReport {
  source:
    | 'orders'
    | 'backups'
    | 'users'
    | 'services'
    | 'outbox'
    | 'payments'
    | 'trail'
    | 'customers'
    | 'customerDues'
    | 'setup'
  /** The page with all of the duties of this source. */
  moreLink?: { label: string; path: string } | null
  /** `loading`: this device has not read the data yet. `unknown`: it has never read the data and cannot read it now. */
  state: 'loading' | 'known' | 'unknown'
  duties: readonly HomeDuty[]
  /** Buttons that settle several of the duties together. */
  commonActions?: readonly (DutyButton & { key: string })[]
  /** Why buttons of the duties are disabled without a connection, displayed once above them. */
  offlineText?: string | null
  figures: Partial<
    Record<'contracts' | 'toPay' | 'users' | 'unpaid' | 'ending' | 'down' | 'customers' | 'waiting', HomeFigure>
  >
  /** Why an action at the top of the page cannot be taken now, as on the page that it leads to. */
  blockedReasons?: Partial<Record<'newContract' | 'newUser', string | null>>
  /** True if the first steps of a new company are shown, in place of the text that nothing needs attention. */
  hasSteps?: boolean
}

export type OnReport = (report: HomeReport) => void

/** Returns the state of a list. `asOf` is null if the list was never read. */
export const getKnownState = ({ asOf, isCached }: Pick<ListFreshness, 'asOf' | 'isCached'>): HomeReport['state'] =>
  asOf !== null ? 'known' : isCached ? 'unknown' : 'loading'

export const combineStates = (states: readonly HomeReport['state'][]): HomeReport['state'] =>
  (['loading', 'unknown'] as const).find((state) => states.includes(state)) ?? 'known'

export function useReport(report: HomeReport, onReport: OnReport): void {
  const latestReport = useRef(report)
  useEffect(() => {
    latestReport.current = report
  })
  const reportJson = JSON.stringify(report)
  // biome-ignore lint: it is the same report as long as it says the same
  useEffect(() => onReport(latestReport.current), [reportJson, onReport])
}
