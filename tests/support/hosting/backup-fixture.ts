/** Sets up a service with items on a local host and backup subscriptions, and runs backups and restores. */
import type { StoredBackupRow } from '#contract/backups.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { backupJobKinds, hostingJobKinds, restoreJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { createBackupOrder, readServiceId } from '#tests/support/hosting/backups.ts'
import { createMemoryPlaces, type BackupPlacesUnderTest } from '#tests/support/hosting/backup-places.ts'
import { waitUntilHealthy, type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'

export interface BackupFixture {
  host: LocalUnderTest
  places: BackupPlacesUnderTest
  end(): Promise<void>
}

/** Replaces the server's hosting and its backup stores. */
export function openBackups(server: TestServer): BackupFixture {
  const host = openLocalHosting()
  const places = createMemoryPlaces()
  server.app.hosting = host.driver
  server.app.backups = places
  // Restore drills need the data folder.
  server.app.config = { ...server.app.config, dataDir: host.folder }
  return { host, places, end: () => host.end() }
}

/** Buys and creates a service, and subscribes it to both kinds of backup until 2027-03-02. Returns its id. */
export async function createBackedUpService(server: TestServer, caller: SignedIn, code: string): Promise<number> {
  const { contract_id } = await buyOrder(server, caller, { code })
  const response = await caller.send({ method: 'POST', url: `/api/aws/service?contractId=${contract_id}` })
  if (response.statusCode !== 202) throw new Error(`${code} is not created: ${response.body}`)
  while (await runOneJob(server.app, hostingJobKinds));
  for (const pdb_type of ['pdb2s3', 'pdb2rds'] as const) await createBackupOrder(server, code, { pdb_type })
  const id = await readServiceId(server, code)
  await waitUntilHealthy(server.app.hosting, { serviceId: id, code })
  return id
}

export interface JobResult {
  status: number
  body: unknown
}

/** Runs the job to its end and returns its outcome. */
export async function runJob(
  server: TestServer,
  caller: SignedIn,
  url: '/api/pdb/backup' | '/api/pdb/restore',
  payload: object,
): Promise<JobResult> {
  const startResponse = await caller.send({ method: 'POST', url, payload })
  if (startResponse.statusCode !== 202) return { status: startResponse.statusCode, body: startResponse.json() }
  await workAll(server)
  const response = await caller.send({ url: startResponse.json().location })
  return { status: response.statusCode, body: response.json() }
}

export async function workAll({ app }: TestServer): Promise<void> {
  while ((await runOneJob(app, backupJobKinds)) || (await runOneJob(app, restoreJobKinds)));
}

export const backUpNow = (
  server: TestServer,
  caller: SignedIn,
  service_id: number,
  pdb_type = 'pdb2s3',
): Promise<JobResult> => runJob(server, caller, '/api/pdb/backup', { service_id, pdb_type })

export const listBackups = async (caller: SignedIn, serviceId: number): Promise<StoredBackupRow[]> =>
  (await caller.send({ url: `/api/pdb/backup?serviceId=${serviceId}` })).json().data

export const readBackupRows = ({ app }: TestServer) =>
  runInTransaction(app, { role: 'portal_system' }, (db) => db.selectFrom('backup').selectAll().orderBy('id').execute())

export const readTrafficByRun = async ({ app }: TestServer): Promise<Record<string, number>> => {
  const rows = await runInTransaction(app, { role: 'portal_system' }, (db) =>
    db.selectFrom('traffic_moved').selectAll().execute(),
  )
  return Object.fromEntries(rows.map(({ run, bytes }) => [run, bytes]))
}
