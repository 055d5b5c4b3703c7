/**
 * Tests the audit trail at scale: pages of 1,000,000 entries on both engines compared with handwritten SQL, 200 concurrent writers of one
 * company compared with the former hash chain, and integrators that are killed while they work. Exits with 1 if entries are lost or a
 * measurement is too slow.
 *
 * npm run campaign -- audit-trail [entries] [seed]
 */
import { createRandom } from '#tests/support/runner/random.ts'
import { postgresBin, startCluster } from '#tests/support/server/postgres.ts'
import { killIntegrators } from '#tests/campaigns/audit-trail/killed.ts'
import { measurePages } from '#tests/campaigns/audit-trail/pages.ts'
import { measureWriters } from '#tests/campaigns/audit-trail/writers.ts'

export async function run([entries = '1000000', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  const bin = postgresBin()
  if (bin === null) throw new Error('PostgreSQL is not installed')
  console.log(`audit trail: ${entries} entries, seed ${seed}`)
  const cluster = await startCluster(bin)
  const faults: string[] = []
  try {
    faults.push(...(await measureWriters(cluster.url)))
    faults.push(...(await killIntegrators(cluster.url, createRandom(Number(seed)))))
    for (const engine of ['postgres', 'embedded'] as const)
      faults.push(...(await measurePages(engine, cluster.url, Number(entries))))
  } finally {
    await cluster.stop()
  }
  for (const fault of faults) console.error(fault)
  console.log(`${faults.length} faults`)
  if (faults.length > 0) process.exitCode = 1
}
