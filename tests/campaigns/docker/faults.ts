/**
 * Faults of a Swarm of two nodes with a portal: each must be named in the list of services within a stated time, the version that ran must
 * keep answering where it can, and the portal must recover by itself.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFaultCampaign, type FaultCampaign, type FaultCase } from '#tests/campaigns/docker/fault-campaign.ts'
import { engineFaults } from '#tests/campaigns/docker/engine-faults.ts'
import { imageFaults } from '#tests/campaigns/docker/image-faults.ts'
import { nodeFaults } from '#tests/campaigns/docker/node-faults.ts'

const cases: readonly FaultCase[] = [...imageFaults, ...engineFaults, ...nodeFaults]

/** `names` selects cases. Returns one line per fault that was found. */
export async function runFaults(names: readonly string[], report: (line: string) => void): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-docker-faults-'))
  const failures: string[] = []
  const selectedCases = cases.filter(({ name }) => names.length === 0 || names.includes(name))
  if (selectedCases.length === 0) throw new Error(`faults: ${cases.map(({ name }) => name).join(', ')}`)
  let campaign: FaultCampaign | null = null
  try {
    campaign = await openFaultCampaign(folder, report)
    for (const faultCase of selectedCases) {
      if (faultCase.needsOwnDaemon && !campaign.site.cluster.isOwn) {
        failures.push(`${faultCase.name}: not run, because the daemon of DOCKER_HOST must not be stopped`)
        continue
      }
      report(`${faultCase.name} ...`)
      try {
        await campaign.reset()
        await faultCase.run(campaign)
        report(`${faultCase.name}: passed`)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        failures.push(`${faultCase.name}: ${message}`)
        report(`${faultCase.name}: FAILED: ${message}`)
      }
    }
  } finally {
    await campaign?.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return failures
}
