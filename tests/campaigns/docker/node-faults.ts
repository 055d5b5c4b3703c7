/** Faults of the machines of a Swarm: a daemon that is restarted, and a node that is lost. */
import type Docker from 'dockerode'
import { getFaults, type FaultCampaign, type FaultCase, waitForAnswer } from '#tests/campaigns/docker/fault-campaign.ts'
import { describeRow, isOnline } from '#tests/campaigns/docker/service-client.ts'

async function recover({ client, code, report }: FaultCampaign, timeoutMs: number): Promise<void> {
  const { row, ms } = await client.waitForRow(code, 'the recovery', isOnline, timeoutMs)
  await waitForAnswer(client, row)
  report(`  recovered after ${ms} ms`)
}

/** Returns the node on which the task of the service runs. */
async function findNode({ site, code, client }: FaultCampaign) {
  const { id } = await client.read(code)
  const filters = JSON.stringify({ label: [`portal.service=${id}`], 'desired-state': ['running'] })
  const tasks = (await site.cluster.docker.listTasks({ filters })) as { NodeID: string }[]
  return site.cluster.nodes.find((node) => node.id === tasks[0]?.NodeID) ?? null
}

async function setAvailability(docker: Docker, id: string, availability: 'active' | 'drain') {
  const node = docker.getNode(id)
  const { Spec, Version } = (await node.inspect()) as { Spec: object; Version: { Index: number } }
  await node.update({ version: Version.Index, ...Spec, Availability: availability })
}

export const nodeFaults: readonly FaultCase[] = [
  {
    name: 'restarted-daemon',
    needsOwnDaemon: true,
    async run(campaign) {
      const { client, code, site, report } = campaign
      const restart = site.cluster.nodes[0]?.machine?.restart()
      const { row, ms } = await client.waitForRow(
        code,
        'the fault of a stopped daemon',
        (current) => getFaults(current).some((fault) => fault !== null),
        60_000,
      )
      report(`  the list says ${getFaults(row).join(', ')} after ${ms} ms`)
      await restart
      await recover(campaign, 180_000)
    },
  },
  {
    name: 'lost-node',
    needsOwnDaemon: true,
    /** The data of the service is on the worker, whose cable is pulled. */
    async run(campaign) {
      const { client, code, site, report } = campaign
      const [manager, worker] = site.cluster.nodes
      await moveToWorker(campaign)
      const node = await findNode(campaign)
      if (node !== worker) throw new Error('the service does not run on the worker')
      worker?.machine?.disconnect()
      try {
        const { row, ms } = await client.waitForRow(
          code,
          'the fault of a lost node',
          (current) => getFaults(current).includes('node_lost'),
          90_000,
        )
        report(`  the list says ${describeRow(row)} after ${ms} ms`)
      } finally {
        worker?.machine?.reconnect()
        await setAvailability(site.cluster.docker, manager?.id ?? '', 'active')
      }
      await recover(campaign, 120_000)
    },
  },
]

/** Deletes the service and creates it again while the manager takes no tasks, so that its volume is on the worker. */
async function moveToWorker({ client, code, site }: FaultCampaign): Promise<void> {
  const [manager] = site.cluster.nodes
  const { id, contract_id: contractId } = await client.read(code)
  const deleted = await client.operate('DELETE', `/api/aws/service/${id}`)
  if (deleted.status !== 204) throw new Error(`the deletion ended as ${deleted.status}: ${deleted.text}`)
  await setAvailability(site.cluster.docker, manager?.id ?? '', 'drain')
  const created = await client.operate('POST', `/api/aws/service?contractId=${contractId}`)
  if (created.status !== 200) throw new Error(`the creation ended as ${created.status}: ${created.text}`)
  await client.waitForRow(code, 'the service on the worker', isOnline, 120_000)
}
