/** What home is told: each feature reports what it knows, and home draws all of it as one list (C-32). */
import { useEffect, useRef } from 'react'
import type { PlainDate } from '#domain/time.ts'
import type { IconName } from '#ui/icons/Icon.tsx'
import type { ListFreshness } from '#ui/list/Freshness.tsx'

export interface HomeDuty {
  key: string
  /** The day until which it can wait, in the business time zone; empty: it does not wait; null: it has no day, and comes last. */
  at: PlainDate | null
  icon: IconName
  isUrgent?: boolean
  title: string
  text: string
  action: DutyAction
  /** What can be done instead. */
  otherAction?: DutyAction
}

/** `disabledReason`: why it cannot be done now. */
type DutyAction = { label: string; path: string } | { label: string; run: () => void; disabledReason?: string | null }

export interface HomeFigure {
  /** As it is shown: a count, or an amount with its currency. */
  value: string
  note: string
  /** How true it is; null: this device is the one who knows. */
  freshness: ListFreshness | null
}

export interface HomeReport {
  source: 'orders' | 'backups' | 'users' | 'services' | 'outbox' | 'payments' | 'trail'
  /** `asking`: this device has not read it yet; `unknown`: nor can it read it now. */
  state: 'loading' | 'known' | 'unknown'
  duties: readonly HomeDuty[]
  figures: Partial<Record<'contracts' | 'toPay' | 'users' | 'services' | 'waiting', HomeFigure>>
}

export type OnReport = (report: HomeReport) => void

/** What a list's reading comes to. `asOf` null: it was never read. */
export const getKnownState = ({ asOf, isCached }: Pick<ListFreshness, 'asOf' | 'isCached'>): HomeReport['state'] =>
  asOf !== null ? 'known' : isCached ? 'unknown' : 'loading'

/** The least that is known of several. */
export const combineStates = (states: readonly HomeReport['state'][]): HomeReport['state'] =>
  (['loading', 'unknown'] as const).find((state) => states.includes(state)) ?? 'known'

/** Reports again when it says something else. */
export function useReport(report: HomeReport, onReport: OnReport): void {
  const latestReport = useRef(report)
  useEffect(() => {
    latestReport.current = report
  })
  const reportJson = JSON.stringify(report)
  // biome-ignore lint: it is the same report as long as it says the same
  useEffect(() => onReport(latestReport.current), [reportJson, onReport])
}
