/** A service with items on a real host, subscribed to backups, and what people do with those. */
import type { StoredBackupRow } from '#contract/backups.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { backupKinds, hostingKinds, restoreKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { backupOf, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { memoryPlaces, type PlacesUnderTest } from '#tests/support/hosting/backup-places.ts'
import { healthy, type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import type { SignedIn, TestServer } from '#tests/support/server/server.ts'
import { bought } from '#tests/support/orders/shop-data.ts'

export interface BackedUp {
  host: LocalUnderTest
  places: PlacesUnderTest
  end(): Promise<void>
}

/** In place of what the server has. */
export function openBackups(server: TestServer): BackedUp {
  const host = openLocalHosting()
  const places = memoryPlaces()
  server.app.hosting = host.driver
  server.app.backups = places
  // Of drills.
  server.app.config = { ...server.app.config, dataDir: host.folder }
  return { host, places, end: () => host.end() }
}

/** Bought, created, and subscribed to both kinds until 2027-03-02. Answers its id. */
export async function backedUpService(server: TestServer, by: SignedIn, code: string): Promise<number> {
  const { contract_id } = await bought(server, by, { code })
  const asked = await by.send({ method: 'POST', url: `/api/aws/service?contractId=${contract_id}` })
  if (asked.statusCode !== 202) throw new Error(`${code} is not created: ${asked.body}`)
  while (await workOne(server.app, hostingKinds));
  for (const pdb_type of ['pdb2s3', 'pdb2rds'] as const) await backupOf(server, code, { pdb_type })
  const id = await serviceIdOf(server, code)
  await healthy(server.app.hosting, { serviceId: id, code })
  return id
}

export interface Ended {
  status: number
  body: unknown
}

/** To its end; what it came to. */
export async function worked(
  server: TestServer,
  by: SignedIn,
  url: '/api/pdb/backup' | '/api/pdb/restore',
  payload: object,
): Promise<Ended> {
  const begun = await by.send({ method: 'POST', url, payload })
  if (begun.statusCode !== 202) return { status: begun.statusCode, body: begun.json() }
  await workAll(server)
  const answer = await by.send({ url: begun.json().location })
  return { status: answer.statusCode, body: answer.json() }
}

/** All that backups and restores have asked for. */
export async function workAll({ app }: TestServer): Promise<void> {
  while ((await workOne(app, backupKinds)) || (await workOne(app, restoreKinds)));
}

export const backUpNow = (server: TestServer, by: SignedIn, service_id: number, pdb_type = 'pdb2s3'): Promise<Ended> =>
  worked(server, by, '/api/pdb/backup', { service_id, pdb_type })

export const backupsOf = async (by: SignedIn, serviceId: number): Promise<StoredBackupRow[]> =>
  (await by.send({ url: `/api/pdb/backup?serviceId=${serviceId}` })).json().data

export const backupRows = ({ app }: TestServer) =>
  inTransaction(app, { role: 'portal_system' }, (db) => db.selectFrom('backup').selectAll().orderBy('id').execute())

/** Bytes, by run. */
export const movedOf = async ({ app }: TestServer): Promise<Record<string, number>> => {
  const rows = await inTransaction(app, { role: 'portal_system' }, (db) =>
    db.selectFrom('traffic_moved').selectAll().execute(),
  )
  return Object.fromEntries(rows.map(({ run, bytes }) => [run, bytes]))
}
