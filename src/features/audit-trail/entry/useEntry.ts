import { useState } from 'react'
import { listTrail } from '#contract/audit-trail.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { toEntryRows } from '#features/audit-trail/entry/entry-rows.ts'
import { type TrailResponse, useTrailResponse } from '#features/audit-trail/useTrailResponse.ts'

type EntryResult = { entry: AuditEntryRow } | { problem: Problem } | 'loading' | 'unknown'

/** Returns the entry from the list behind the drawer, the server or the device. A null `companyId` means the user's company. */
export function useEntry(
  id: number,
  companyId: number | null,
  rows: readonly AuditEntryRow[] | undefined,
): EntryResult {
  const entry = useListedEntry(id, rows)
  const { response, problem } = useTrailResponse(
    listTrail,
    entry || !rows ? null : { query: { entry: id, results: 1, ...(companyId === null ? {} : { companyId }) } },
  )
  if (entry) return { entry }
  return response === undefined ? 'loading' : toEntryResult(response, problem)
}

function useListedEntry(id: number, rows: readonly AuditEntryRow[] | undefined): AuditEntryRow | null {
  const [lastRow, setLastRow] = useState<AuditEntryRow | null>(null)
  const listedRow = rows?.find((row) => row.id === id)
  if (listedRow && listedRow.id !== lastRow?.id) setLastRow(listedRow)
  return listedRow ?? (lastRow?.id === id ? lastRow : null)
}

function toEntryResult(
  response: TrailResponse<OutputOf<typeof listTrail>> | null,
  problem: Problem | null,
): EntryResult {
  const entry = response && toEntryRows(response.output)[0]
  if (entry) return { entry }
  // The entry may be in days that are not stored on this device.
  if (response) return response.days ? { problem: createLocalProblem('OFFLINE') } : 'unknown'
  // The server responds in the same way to an entry of another company and to an unknown one.
  if (problem?.status === 404 || problem?.status === 400) return 'unknown'
  return { problem: problem ?? createLocalProblem('OFFLINE') }
}
