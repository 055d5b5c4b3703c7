/**
 * Opens a Docker Swarm for tests: the one of DOCKER_HOST, or one of daemons that run in network namespaces of their own, with an address for
 * each node. Own daemons and all that they created are removed by `close`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Docker from 'dockerode'
import { type DockerDaemon, removeDaemonFolder, startDaemon } from '#tests/support/docker/daemon.ts'
import { installPrograms } from '#tests/support/docker/docker-programs.ts'
import { createNodeNetwork, type NetworkNode, removeEndedNetworks } from '#tests/support/docker/node-network.ts'

export interface DockerCluster {
  /** Path of the manager's socket. */
  socket: string
  /** The manager. */
  docker: Docker
  /** Address of this machine, as containers reach it. */
  hostAddress: string
  /** All nodes; the first one is the manager. */
  nodes: readonly ClusterNode[]
  /** True if the daemons belong to this cluster, so that a test may stop them. */
  isOwn: boolean
  close(): Promise<void>
}

export interface ClusterNode {
  docker: Docker
  /** Id of the node in the Swarm. */
  id: string
  /** Pulls and plugs the cable, and restarts the daemon. Null if the daemon does not belong to the cluster. */
  machine: (Pick<NetworkNode, 'disconnect' | 'reconnect'> & Pick<DockerDaemon, 'restart'>) | null
}

/** `count` is the number of nodes. The daemon of DOCKER_TESTS or DOCKER_HOST is always one node. */
export async function openDockerCluster({ count = 1 }: { count?: number } = {}): Promise<DockerCluster> {
  installPrograms('docker', 'ip')
  // The campaign passes the socket of its cluster to the tests as DOCKER_TESTS.
  const address = process.env.DOCKER_TESTS ?? process.env.DOCKER_HOST
  if (!address) return startOwnCluster(count)
  const socket = address.replace(/^unix:\/\//, '')
  if (!socket.startsWith('/')) throw new Error('DOCKER_HOST must name a socket, like unix:///run/docker.sock')
  const docker = new Docker({ socketPath: socket })
  return {
    socket,
    docker,
    hostAddress: process.env.DOCKER_TESTS_HOST ?? (await readBridgeAddress(docker)),
    nodes: [{ docker, id: await readNodeId(docker), machine: null }],
    isOwn: false,
    close: async () => undefined,
  }
}

const folderPrefix = 'portal-docker-'
/** Has the number of the process whose daemons are in the folder. */
const ownerFile = 'owner'

/** Removes daemons and networks whose process was killed. */
function removeEndedClusters(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue
    const folder = join(tmpdir(), name)
    const path = join(folder, ownerFile)
    // Another process may be creating or deleting the folder in this moment.
    if (existsSync(path) && !existsSync(`/proc/${readFileSync(path, 'utf8')}`)) removeDaemonFolder(folder)
  }
  removeEndedNetworks()
}

async function startOwnCluster(count: number): Promise<DockerCluster> {
  removeEndedClusters()
  const folder = mkdtempSync(join(tmpdir(), folderPrefix))
  writeFileSync(join(folder, ownerFile), String(process.pid))
  const network = createNodeNetwork(count)
  const daemons: DockerDaemon[] = []
  async function close(): Promise<void> {
    // Closed even if a link is cut, because all of it is on this machine.
    await Promise.all(daemons.map((daemon) => daemon.close()))
    network.close()
    rmSync(folder, { recursive: true, force: true })
    process.off('SIGTERM', closeAndExit).off('SIGINT', closeAndExit)
  }
  const closeAndExit = () => void close().finally(() => process.exit(1))
  process.on('SIGTERM', closeAndExit).on('SIGINT', closeAndExit)
  try {
    const nodes: ClusterNode[] = []
    let managerDocker: Docker | null = null
    for (const [index, { namespace, address, disconnect, reconnect }] of network.nodes.entries()) {
      const daemon = await startDaemon({ folder: join(folder, String(index + 1)), namespace })
      daemons.push(daemon)
      const docker = new Docker({ socketPath: daemon.socket })
      if (managerDocker === null) {
        await docker.swarmInit({ AdvertiseAddr: address, ListenAddr: `${address}:2377` })
        managerDocker = docker
      } else
        await joinSwarm(docker, { manager: managerDocker, managerAddress: network.nodes[0]?.address ?? '', address })
      const machine = { disconnect, reconnect, restart: () => daemon.restart() }
      nodes.push({ docker, id: await readNodeId(docker), machine })
    }
    if (managerDocker === null) throw new Error('a Swarm needs at least one node')
    return {
      socket: daemons[0]?.socket ?? '',
      docker: managerDocker,
      hostAddress: network.hostAddress,
      nodes,
      isOwn: true,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface JoinOptions {
  manager: Docker
  managerAddress: string
  address: string
}

async function joinSwarm(docker: Docker, { manager, managerAddress, address }: JoinOptions): Promise<void> {
  const { JoinTokens } = (await manager.swarmInspect()) as { JoinTokens: { Worker: string } }
  await docker.swarmJoin({
    AdvertiseAddr: address,
    ListenAddr: `${address}:2377`,
    RemoteAddrs: [`${managerAddress}:2377`],
    JoinToken: JoinTokens.Worker,
  })
}

async function readNodeId(docker: Docker): Promise<string> {
  const { Swarm } = (await docker.info()) as { Swarm: { NodeID: string } }
  return Swarm.NodeID
}

/** Returns the address of this machine in the network that connects the tasks of a Swarm with it. */
async function readBridgeAddress(docker: Docker): Promise<string> {
  const { IPAM } = (await docker.getNetwork('docker_gwbridge').inspect()) as { IPAM: { Config: { Gateway: string }[] } }
  return IPAM.Config[0]?.Gateway ?? '127.0.0.1'
}

/** Returns what exists on the cluster for a portal with this prefix, as `kind name`. */
export async function listDockerObjects({ docker, nodes }: DockerCluster, prefix: string): Promise<string[]> {
  const [services, configs, secrets, networks, ...volumes] = await Promise.all([
    docker.listServices(),
    docker.listConfigs(),
    docker.listSecrets(),
    docker.listNetworks(),
    ...nodes.map((node) => node.docker.listVolumes()),
  ])
  const namedObjects = [
    ...services.map(({ Spec }) => ['service', Spec?.Name]),
    ...configs.map(({ Spec }) => ['config', Spec?.Name]),
    ...(secrets as Docker.Secret[] & { Spec?: { Name?: string } }[]).map(({ Spec }) => ['secret', Spec?.Name]),
    ...networks.map(({ Name }) => ['network', Name]),
    ...volumes.flatMap(({ Volumes }) => Volumes.map(({ Name }) => ['volume', Name])),
  ]
  return namedObjects
    .flatMap(([kind, name]) => (name?.startsWith(`${prefix}-`) || name === prefix ? [`${kind} ${name}`] : []))
    .toSorted()
}

/** Removes all objects of a portal. They are retried, because a network or volume can be removed only after its tasks have ended. */
export async function removeDockerObjects(cluster: DockerCluster, prefix: string): Promise<void> {
  const { docker } = cluster
  const deadline = Date.now() + 60_000
  for (;;) {
    const objects = await listDockerObjects(cluster, prefix)
    if (objects.length === 0) return
    if (Date.now() > deadline) throw new Error(`could not remove ${objects.join(', ')}`)
    for (const object of objects) {
      const [kind, name = ''] = object.split(' ')
      const removals: Record<string, () => Promise<unknown>[]> = {
        service: () => [docker.getService(name).remove()],
        config: () => [docker.getConfig(name).remove()],
        secret: () => [docker.getSecret(name).remove()],
        network: () => [docker.getNetwork(name).remove()],
        volume: () => cluster.nodes.map((node) => node.docker.getVolume(name).remove()),
      }
      await Promise.allSettled(removals[kind ?? '']?.() ?? [])
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
