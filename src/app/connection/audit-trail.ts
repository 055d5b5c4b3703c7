import { exportTrail } from '#contract/audit-trail.ts'
import { readActiveSession } from '#local/session/session.ts'
import {
  acceptTrailLog,
  startStoredTrail,
  checkTrail,
  fillStoredTrail,
  removeTrailFromDevice,
  updateStoredTrails,
} from '#request/audit-trail/store-trail.ts'
import { buildStoredTrailCsv } from '#request/audit-trail/stored-trail-csv.ts'
import { proveStoredTrail, proveEntry } from '#request/audit-trail/prove.ts'
import { createFailure } from '#request/transport/call-http.ts'
import type { StoredTrailActions } from '#request/call-results.ts'
import { download } from '#app/connection/download.ts'
import { ports } from '#app/connection/api.ts'

export const trailActions: StoredTrailActions = {
  begin: (days, openedRange) => startStoredTrail(ports, days, openedRange),
  fill: (companyId, options) => fillStoredTrail(ports, companyId, options),
  remove: (companyId) => removeTrailFromDevice(ports, companyId),
  check: (companyId) => checkTrail(ports, companyId),
  prove: (companyId, entry) => proveEntry(ports, companyId, entry),
  proveAll: (companyId, onProgress) => proveStoredTrail(ports, companyId, onProgress),
  accept: (companyId) => acceptTrailLog(ports, companyId),
  async download(input) {
    // The server refuses exports for a customer, and the device writes none of its own (decision 111).
    if ((await readActiveSession())?.actingUntil !== undefined) return createFailure('ACTING_READ_ONLY')
    const result = await download(exportTrail, input)
    const isOffline = result.kind === 'problem' && result.problem.code === 'OFFLINE'
    return (isOffline && input.query?.format === 'csv' ? await buildStoredTrailCsv(ports, input) : null) ?? result
  },
}

export const updateTrails = (): Promise<void> => updateStoredTrails(ports)
