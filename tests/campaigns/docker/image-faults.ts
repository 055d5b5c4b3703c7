/** Faults of a new version: the portal gives it up, names the reason, and the version that ran keeps running. */
import type { FaultCampaign, FaultCase } from '#tests/campaigns/docker/fault-campaign.ts'
import { getFaults } from '#tests/campaigns/docker/fault-campaign.ts'
import { isOnline } from '#tests/campaigns/docker/service-client.ts'
import { createImageVariant } from '#tests/support/docker/breakable-image.ts'
import type { ProgramBreak } from '#tests/support/hosting/program-breaks.ts'

/** Maximum time in ms until the fault of a new version is in the list. */
const faultMs = 240_000

/** Updates the service to an image and expects a fault. Afterwards an update to the old image must succeed. */
async function updateToBrokenImage(campaign: FaultCampaign, image: string, faults: readonly string[]): Promise<void> {
  const { client, code, restart, whileAnswering, report, site } = campaign
  const { id } = await client.read(code)
  await restart({ SERVICE_IMAGE: image })
  await client.waitForRow(code, 'the service after the restart', isOnline, 60_000)
  try {
    await whileAnswering(0, async () => {
      const startedAt = performance.now()
      const { status, text } = await client.operate('POST', `/api/aws/service/update/${id}`)
      report(
        `  the update ended as ${status} after ${Math.round(performance.now() - startedAt)} ms: ${text.slice(0, 300)}`,
      )
      if (status === 200) throw new Error('the update to a broken image succeeded')
      const isNamed = getNamedFaults(text).some((fault) => faults.includes(fault))
      const { row, ms } = await client.waitForRow(
        code,
        `one of the faults ${faults.join(', ')}`,
        (current) => isNamed || getFaults(current).some((fault) => fault !== null && faults.includes(fault)),
        faultMs,
      )
      report(`  the list says ${getFaults(row).join(', ')} after ${ms} ms`)
      if (row.online !== 1) throw new Error('the version that ran is not online')
    })
  } finally {
    await restart({ SERVICE_IMAGE: site.image })
  }
  const { status, text } = await client.operate('POST', `/api/aws/service/update/${id}`)
  if (status !== 200) throw new Error(`the update to the old image ended as ${status}: ${text}`)
  const { row } = await client.waitForRow(code, 'the service after the next update', isOnline, 60_000)
  if (getFaults(row).some((fault) => fault !== null)) throw new Error(`the faults ${getFaults(row).join()} stay`)
}

/** A refusal names its reason in the response. */
const getNamedFaults = (text: string): string[] => text.toLowerCase().match(/[a-z]+_[a-z_]+/g) ?? []

const createBreakCase = (kind: ProgramBreak, faults: readonly string[]): FaultCase => ({
  name: `image-${kind}`,
  async run(campaign) {
    const images = campaign.site.cluster.nodes.map(({ docker }) =>
      createImageVariant(docker, campaign.site.image, { name: kind, variables: { PROGRAM_BREAK: kind } }),
    )
    const [image = ''] = await Promise.all(images)
    await updateToBrokenImage(campaign, image, faults)
  },
})

export const imageFaults: readonly FaultCase[] = [
  {
    name: 'missing-image',
    run: (campaign) => updateToBrokenImage(campaign, 'portal-campaign/no-such-image:1', ['no_image']),
  },
  createBreakCase('sick', ['not_healthy', 'no_answer']),
  createBreakCase('exits', ['keeps_ending']),
  createBreakCase('freezes', ['no_answer', 'not_healthy']),
]
