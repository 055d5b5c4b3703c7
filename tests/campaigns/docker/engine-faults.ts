/** Faults of the Docker API and of memory. */
import { execFileSync } from 'node:child_process'
import { getFaults, type FaultCampaign, type FaultCase, waitForAnswer } from '#tests/campaigns/docker/fault-campaign.ts'
import { expectGivenUp } from '#tests/campaigns/docker/image-faults.ts'
import { isOnline, isSuccess } from '#tests/campaigns/docker/service-client.ts'
import type { EngineProxyMode } from '#tests/support/docker/engine-proxy.ts'

/** Disturbs the API until the fault is named. The service does not notice, and the fault is cleared afterwards. */
async function disturbApi(campaign: FaultCampaign, mode: EngineProxyMode, faults: readonly string[]): Promise<void> {
  const { proxy, client, code, report, whileAnswering } = campaign
  await whileAnswering(0, async () => {
    proxy.setMode(mode)
    const { ms, row } = await client.waitForRow(
      code,
      `one of the faults ${faults.join(', ')}`,
      (current) => getFaults(current).some((fault) => fault !== null && faults.includes(fault)),
      60_000,
    )
    report(`  the list says ${getFaults(row).join(', ')} after ${ms} ms, ${proxy.countCalls()} calls`)
    proxy.setMode('pass')
    const recovery = await client.waitForRow(code, 'the recovery', isOnline, 60_000)
    report(`  recovered after ${recovery.ms} ms`)
  })
}

export const engineFaults: readonly FaultCase[] = [
  { name: 'throttled-api', run: (campaign) => disturbApi(campaign, 'throttle', ['throttled']) },
  { name: 'hanging-api', run: (campaign) => disturbApi(campaign, 'hang', ['unreachable']) },
  { name: 'stalled-api', run: (campaign) => disturbApi(campaign, 'stall', ['unreachable']) },
  {
    name: 'operation-on-throttled-api',
    /** An operation continues between the bursts. */
    async run({ proxy, client, code, report }) {
      const { id } = await client.read(code)
      proxy.setMode('throttle')
      const startedAt = performance.now()
      const { status, text } = await client.operate('POST', `/api/aws/reboot/${id}`)
      proxy.setMode('pass')
      report(`  the reboot ended as ${status} after ${Math.round(performance.now() - startedAt)} ms`)
      if (!isSuccess(status)) throw new Error(`the reboot ended as ${status}: ${text}`)
    },
  },
  {
    name: 'no-memory',
    /** The configuration is refused, and the service keeps its old one. */
    async run({ client, code, report, whileAnswering }) {
      const { id } = await client.read(code)
      await whileAnswering(0, async () => {
        const path = `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=8000&task_desire_count=4`
        const { status, text } = await client.operate('POST', path)
        report(`  ${status} ${text.slice(0, 300)}`)
        if (isSuccess(status) || !/no.?memory/i.test(text)) throw new Error(`4 x 8000 MB ended as ${status}: ${text}`)
      })
    },
  },
  {
    name: 'no-memory-later',
    /** Another program reserves the memory of the nodes after the portal has checked it. */
    async run({ client, code, report, whileAnswering, site }) {
      const { id } = await client.read(code)
      const { docker } = site.cluster
      const { MemTotal = 0 } = (await docker.info()) as { MemTotal?: number }
      const configured = await client.operate(
        'POST',
        `/api/aws/changecfg?serviceId=${id}&task_runtime_memory=4000&task_desire_count=1`,
      )
      if (!isSuccess(configured.status)) throw new Error(`the configuration ended as ${configured.text}`)
      const hog = await docker.createService({
        Name: `${site.prefix}-hog`,
        TaskTemplate: {
          ContainerSpec: { Image: site.image, Command: ['sleep', '600'] },
          Resources: { Reservations: { MemoryBytes: MemTotal - 3 * 1024 ** 3 } },
        },
        Mode: { Global: {} },
      })
      try {
        await whileAnswering(0, async () => {
          const { status, text } = await client.operate('POST', `/api/aws/reboot/${id}`)
          report(`  the reboot ended as ${status}: ${text.slice(0, 300)}`)
          if (isSuccess(status) || !/no.?memory/i.test(text))
            throw new Error(`the reboot without memory ended as ${status}: ${text}`)
          await expectGivenUp({ client, code, report }, ['no_memory'])
        })
      } finally {
        await hog.remove()
      }
      const restored = await client.operate('POST', `/api/aws/reboot/${id}`)
      if (!isSuccess(restored.status))
        throw new Error(`the reboot with memory ended as ${restored.status}: ${restored.text}`)
    },
  },
  {
    name: 'stopped-process',
    /** The program stops answering without ending. The Swarm replaces it. */
    async run({ client, code, report, site }) {
      const before = await client.read(code)
      for (const pid of await listPids(site, before.id)) execFileSync('kill', ['-STOP', String(pid)])
      const { row, ms } = await client.waitForRow(
        code,
        'a fault of a program that does not answer',
        (current) => current.online === 0 || getFaults(current).some((fault) => fault !== null),
        60_000,
      )
      report(`  the list says online ${row.online}, fault ${getFaults(row).join(', ')} after ${ms} ms`)
      const recovery = await client.waitForRow(code, 'the replacement', isOnline, 120_000)
      report(`  recovered after ${recovery.ms} ms`)
      await waitForAnswer(client, recovery.row)
    },
  },
]

/** Returns the main processes of the containers of a service. */
async function listPids({ cluster, prefix }: FaultCampaign['site'], serviceId: number): Promise<number[]> {
  const label = [`portal.name=${prefix}`, `portal.service=${serviceId}`, 'portal.kind=service']
  const pids = cluster.nodes.map(async ({ docker }) => {
    const containers = await docker.listContainers({ filters: JSON.stringify({ label }) })
    return Promise.all(containers.map(async ({ Id }) => (await docker.getContainer(Id).inspect()).State.Pid))
  })
  return (await Promise.all(pids)).flat()
}
