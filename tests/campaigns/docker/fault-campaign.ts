/** A portal on a Swarm of two nodes, whose API can be disturbed, and one service that runs there. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { createServiceClient, isOnline, type ServiceClient } from '#tests/campaigns/docker/service-client.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { type DockerSite, openDockerSite } from '#tests/support/docker/docker-site.ts'
import { type EngineProxy, openEngineProxy } from '#tests/support/docker/engine-proxy.ts'
import { sendRequest } from '#tests/support/hosting/hosting.ts'
import { createOutsideClient } from '#tests/support/server/outside-client.ts'

export interface FaultCase {
  name: string
  /** Whether daemons are stopped. */
  needsOwnDaemon?: boolean
  run(campaign: FaultCampaign): Promise<void>
}

export interface FaultCampaign {
  site: DockerSite
  proxy: EngineProxy
  portal: Portal
  client: ServiceClient
  /** Code of the service. */
  code: string
  report(line: string): void
  /** Restarts the portal with other settings. */
  restart(settings: Record<string, string>): Promise<void>
  /** Removes the causes of earlier faults and waits until the service is online. */
  reset(): Promise<void>
  /** Reports how often the service did not answer while `work` ran, and fails if it was more than `maxMisses`. */
  whileAnswering<T>(maxMisses: number, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

const code = 'acmetrade'
/** Time in ms for a service to become online. */
const onlineMs = 180_000

export async function openFaultCampaign(folder: string, report: (line: string) => void): Promise<FaultCampaign> {
  const proxySocket = join(folder, 'docker.sock')
  const site = await openDockerSite({ count: 2, socket: proxySocket })
  let proxy: EngineProxy | null = null
  let portal: Portal | null = null
  async function close(): Promise<void> {
    proxy?.setMode('pass')
    await portal?.close()
    await proxy?.close()
    await site.close()
  }
  try {
    proxy = await openEngineProxy(proxySocket, site.cluster.socket)
    portal = await startPortal({ ...site.settings, ACCESS_SECONDS: '3600', REFRESH_IDLE_SECONDS: '3600' })
    const client = createServiceClient(await createOutsideClient(portal))
    await client.waitForRow(code, 'the first start', isOnline, onlineMs)
    return createCampaign({ site, proxy, portal, client, report, close })
  } catch (error) {
    if (portal) report(portal.output().slice(-4000))
    await close()
    throw error
  }
}

type CampaignParts = Pick<FaultCampaign, 'site' | 'proxy' | 'portal' | 'client' | 'report' | 'close'>

function createCampaign(parts: CampaignParts): FaultCampaign {
  const { site, proxy, portal, client, report } = parts
  const readRow = (): Promise<ServiceResponse> => client.read(code)
  const restart = async (settings: Record<string, string>) => {
    await portal.stop()
    await portal.start(settings)
  }
  return {
    ...parts,
    code,
    restart,
    async reset() {
      proxy.setMode('pass')
      for (const { machine } of site.cluster.nodes) machine?.reconnect()
      await client.waitForRow(code, 'the service before the fault', isOnline, onlineMs)
      await waitForAnswer(client, await readRow())
    },
    async whileAnswering(maxMisses, work) {
      const row = await readRow()
      let isRunning = true
      let calls = 0
      let misses = 0
      const loop = (async () => {
        for (; isRunning; await wait(200)) {
          calls += 1
          if (!(await client.answers(row))) misses += 1
        }
      })()
      const result = await work().finally(() => {
        isRunning = false
      })
      await loop
      report(`  ${misses} of ${calls} requests to the service failed`)
      if (misses > maxMisses) throw new Error(`the service did not answer ${misses} of ${calls} requests`)
      return result
    },
  }
}

/** The gateway may learn of new tasks a little later than the list of services. */
export async function waitForAnswer(client: ServiceClient, row: ServiceResponse, timeoutMs = 30_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await wait(200))
    if (await client.answers(row)) return
  const response = row.url === null ? null : await sendRequest(row.url, '/sign-in').catch((error: unknown) => error)
  const text = JSON.stringify(response, null, 1)?.slice(0, 300) ?? String(response)
  throw new Error(`the service does not answer ${timeoutMs} ms after it was online: ${String(response)} ${text}`)
}

export const getFaults = (row: ServiceResponse): (string | null)[] => [
  row.fault,
  (row as { deployment_fault?: string | null }).deployment_fault ?? null,
]
