/** Faults of a new version: the portal gives it up, names the reason, and the version that ran keeps running. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import type { FaultCampaign, FaultCase } from '#tests/campaigns/docker/fault-campaign.ts'
import { getFaults } from '#tests/campaigns/docker/fault-campaign.ts'
import { describeRow, isOnline, isSuccess } from '#tests/campaigns/docker/service-client.ts'
import { createImageVariant } from '#tests/support/docker/breakable-image.ts'
import type { ProgramBreak } from '#tests/support/hosting/program-breaks.ts'

/** Maximum time in ms until the list names the fault of a failed operation. */
const givenUpMs = 30_000
/** Time in ms in which the health of services is checked several times. */
const healthChecksMs = 15_000

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
      if (isSuccess(status)) throw new Error('the update to a broken image succeeded')
      if (!faults.some((fault) => text.toLowerCase().includes(fault)))
        throw new Error(`the response does not name ${faults.join(' or ')}`)
      await expectGivenUp(campaign, faults)
    })
  } finally {
    await restart({ SERVICE_IMAGE: site.image })
  }
  const { status, text } = await client.operate('POST', `/api/aws/service/update/${id}`)
  if (!isSuccess(status)) throw new Error(`the update to the old image ended as ${status}: ${text}`)
  const { row } = await client.waitForRow(code, 'the service after the next update', isOnline, 60_000)
  if (getFaults(row).some((fault) => fault !== null)) throw new Error(`the faults ${getFaults(row).join()} stay`)
}

/** The row must name the fault of the new version now and after further health checks, and say that the version that ran is online. */
export async function expectGivenUp(
  { client, code, report }: Pick<FaultCampaign, 'client' | 'code' | 'report'>,
  faults: readonly string[],
): Promise<void> {
  const isGivenUp = (row: ServiceResponse) => isOnline(row) && faults.includes(row.deployment_fault ?? '')
  const { row, ms } = await client.waitForRow(code, `one of the faults ${faults.join(', ')}`, isGivenUp, givenUpMs)
  report(`  the list says ${getFaults(row).join(', ')} after ${ms} ms`)
  await wait(healthChecksMs)
  const laterRow = await client.read(code)
  if (!isGivenUp(laterRow) || laterRow.fault !== null)
    throw new Error(`health checks have changed the row to ${describeRow(laterRow)}`)
}

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
