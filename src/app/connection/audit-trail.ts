/** The audit trail on this device (`TrailKeeper`), and when what is kept of it is brought up to date. */
import { exportTrail } from '#contract/audit-trail.ts'
import { accept, begin, check, fill, remove, updateAll } from '#request/audit-trail/keep-trail.ts'
import { keptCsv } from '#request/audit-trail/kept-csv.ts'
import { proveAllKept, proveEntry } from '#request/audit-trail/prove.ts'
import type { TrailKeeper } from '#request/results.ts'
import { download } from '#app/connection/download.ts'
import { ports } from '#app/connection/api.ts'

export const trails: TrailKeeper = {
  begin: (days, opened) => begin(ports, days, opened),
  fill: (companyId, options) => fill(ports, companyId, options),
  remove: (companyId) => remove(ports, companyId),
  check: (companyId) => check(ports, companyId),
  prove: (companyId, entry) => proveEntry(ports, companyId, entry),
  proveAll: (companyId, onProgress) => proveAllKept(ports, companyId, onProgress),
  accept: (companyId) => accept(ports, companyId),
  async download(asked) {
    const result = await download(exportTrail, asked)
    const isOut = result.kind === 'problem' && result.problem.code === 'OFFLINE'
    return (isOut && asked.query?.format === 'csv' ? await keptCsv(ports, asked) : null) ?? result
  },
}

export const updateTrails = (): Promise<void> => updateAll(ports)
